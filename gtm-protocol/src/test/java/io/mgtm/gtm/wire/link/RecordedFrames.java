package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.command.GatewayKind;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Writes down what frames say, from either side. */
final class RecordedFrames implements GatewayFrameHandler, NodeFrameHandler {
  final List<String> events = new ArrayList<>();
  final List<LinkCommand> commands = new ArrayList<>();

  @Override
  public void version(int version) {
    events.add("version " + version);
  }

  @Override
  public void present(LinkEntries entries) {
    events.add("present " + text(entries));
  }

  @Override
  public void entries(LinkEntries entries) {
    events.add("entries " + text(entries));
  }

  private static String text(LinkEntries entries) {
    return "%d %d %d %s"
        .formatted(
            entries.term(),
            entries.first(),
            entries.stable(),
            entries.entries().stream().map(HexFormat.of()::formatHex).toList());
  }

  @Override
  public void hello(String name, GatewayKind kind) {
    events.add("hello " + name + " " + kind);
  }

  @Override
  public void auth(byte[] hmac) {
    events.add("auth " + HexFormat.of().formatHex(hmac));
  }

  @Override
  public void attach(long session, boolean fresh, long acked, boolean proxied) {
    events.add("attach %x %s %d %s".formatted(session, fresh, acked, proxied));
  }

  @Override
  public void commands(long session, long acked, long first, List<LinkCommand> some) {
    events.add("commands %x %d %d %s".formatted(session, acked, first, some));
    commands.addAll(some);
  }

  @Override
  public void close(long session) {
    events.add("close %x".formatted(session));
  }

  @Override
  public void ping(long nonce) {
    events.add("ping " + nonce);
  }

  @Override
  public void admin(long id, String verb, String argument) {
    events.add("admin %d %s %s".formatted(id, verb, argument));
  }

  @Override
  public void challenge(byte[] nonce) {
    events.add("challenge " + HexFormat.of().formatHex(nonce));
  }

  @Override
  public void leadership(Leadership leadership) {
    events.add(leadership.toString());
  }

  @Override
  public void attached(long session, long last) {
    events.add("attached %x %d".formatted(session, last));
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    events.add("refused %x %s %s %s".formatted(session, code, message, hint));
  }

  @Override
  public void reply(long session, long number, boolean close, ByteBuf bytes) {
    events.add("reply %x %d %s %s".formatted(session, number, close, ByteBufUtil.hexDump(bytes)));
  }

  @Override
  public void pieces(long session, long number, long id, long bytes) {
    events.add("pieces %x %d %d of %d".formatted(session, number, id, bytes));
  }

  @Override
  public void piece(long id, ByteBuf bytes) {
    events.add("piece %d %s".formatted(id, ByteBufUtil.hexDump(bytes)));
  }

  @Override
  public void pull(long id, boolean more) {
    events.add("pull %d %s".formatted(id, more));
  }

  @Override
  public void repliesEnd() {
    events.add("replies end");
  }

  @Override
  public void pong(long nonce) {
    events.add("pong " + nonce);
  }

  @Override
  public void adminReply(long id, AdminReplyKind kind, ByteBuf bytes) {
    events.add("admin reply %d %s %s".formatted(id, kind, ByteBufUtil.hexDump(bytes)));
  }
}
