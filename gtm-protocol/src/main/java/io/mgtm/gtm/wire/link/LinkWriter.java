package io.mgtm.gtm.wire.link;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.GatewayKind;
import io.netty.buffer.ByteBuf;
import java.util.UUID;
import java.util.function.Consumer;

/** Writes whole frames but those of replies; any thread. */
public final class LinkWriter {
  private LinkWriter() {}

  /** What a gateway sends first, which speaks a version on this link. */
  public static void preface(ByteBuf out, int version) {
    out.writeInt(LinkFormat.MAGIC).writeShort(version).writeShort(0);
  }

  /** Says who the gateway is. */
  public static void hello(ByteBuf out, String name, GatewayKind kind) {
    frame(out, LinkFrameType.HELLO, () -> string(out, name).writeByte(kind.code()));
  }

  /** Answers a challenge; see {@link LinkSecret#answer}. */
  public static void auth(ByteBuf out, byte[] hmac) {
    frame(out, LinkFrameType.AUTH, () -> out.writeBytes(hmac));
  }

  /** Goes on with a session, or opens it. */
  public static void attach(ByteBuf out, long session, boolean fresh, long acked, boolean proxied) {
    frame(
        out,
        LinkFrameType.ATTACH,
        () -> out.writeLong(session).writeBoolean(fresh).writeLong(acked).writeBoolean(proxied));
  }

  /**
   * Sends commands that are encoded already.
   *
   * @param first the number of the first one
   * @param count how many there are
   * @param commands for each {@code backend:i16} and the command as {@link CommandCodec} writes it;
   *     read from its reader index on, which is moved
   */
  public static void commands(
      ByteBuf out, long session, long acked, long first, int count, ByteBuf commands) {
    int start = begin(out, LinkFrameType.COMMANDS);
    out.writeLong(session).writeLong(acked).writeLong(first).writeInt(count);
    out.writeBytes(commands);
    end(out, start);
  }

  /** Ends a session. */
  public static void close(ByteBuf out, long session) {
    frame(out, LinkFrameType.CLOSE, () -> out.writeLong(session));
  }

  /** Asks for the next piece of a long reply, or gives it up. */
  public static void pull(ByteBuf out, long id, boolean more) {
    frame(out, LinkFrameType.PULL, () -> out.writeLong(id).writeBoolean(more));
  }

  /** Asks for a sign of life. */
  public static void ping(ByteBuf out, long nonce) {
    frame(out, LinkFrameType.PING, () -> out.writeLong(nonce));
  }

  /** An operator's request. */
  public static void admin(ByteBuf out, long id, String verb, String argument) {
    frame(out, LinkFrameType.ADMIN, () -> string(string(out.writeLong(id), verb), argument));
  }

  /** Presents entries to a new leader; they fit a frame. */
  public static void present(ByteBuf out, LinkEntries entries) {
    entries(out, LinkFrameType.PRESENT, entries);
  }

  /** Gives entries to keep; they fit a frame. */
  public static void entries(ByteBuf out, LinkEntries entries) {
    entries(out, LinkFrameType.ENTRIES, entries);
  }

  private static void entries(ByteBuf out, LinkFrameType type, LinkEntries entries) {
    int start = begin(out, type);
    out.writeLong(entries.term()).writeLong(entries.first()).writeLong(entries.stable());
    out.writeInt(entries.entries().size());
    for (byte[] entry : entries.entries()) {
      out.writeInt(entry.length).writeBytes(entry);
    }
    end(out, start);
  }

  /** Asks for the secret. */
  public static void challenge(ByteBuf out, byte[] nonce) {
    frame(out, LinkFrameType.CHALLENGE, () -> out.writeBytes(nonce));
  }

  /** Tells how the node stands, to a gateway that speaks a version. */
  public static void leadership(ByteBuf out, Leadership leadership, int version) {
    int start = begin(out, LinkFrameType.LEADERSHIP);
    out.writeBoolean(leadership.leading()).writeLong(leadership.term());
    string(
        string(string(out, leadership.member()), leadership.leader()), leadership.leaderAddress());
    if (version >= LinkFormat.VERSION_GROUP) {
      UUID group = leadership.group() == null ? LinkFormat.NO_GROUP : leadership.group();
      out.writeLong(group.getMostSignificantBits()).writeLong(group.getLeastSignificantBits());
    }
    end(out, start);
  }

  public static void attached(ByteBuf out, long session, long last) {
    frame(out, LinkFrameType.ATTACHED, () -> out.writeLong(session).writeLong(last));
  }

  /** Refuses; message and hint are cut to {@link LinkFormat#TEXT_BYTES_MAX}. */
  public static void refused(
      ByteBuf out, long session, RefusalCode code, String message, String hint) {
    frame(
        out,
        LinkFrameType.REFUSED,
        () -> string(string(out.writeLong(session).writeByte(code.code()), message), hint));
  }

  /** A piece of a long reply, which {@code bytes} appends; none when there is no such reply. */
  public static void piece(ByteBuf out, long id, Consumer<ByteBuf> bytes) {
    frame(out, LinkFrameType.PIECE, () -> bytes.accept(out.writeLong(id)));
  }

  /** Answers a ping. */
  public static void pong(ByteBuf out, long nonce) {
    frame(out, LinkFrameType.PONG, () -> out.writeLong(nonce));
  }

  /** Answers an operator, whole or a piece; the bytes fit a frame. */
  public static void adminReply(ByteBuf out, long id, AdminReplyKind kind, byte[] bytes) {
    frame(
        out,
        LinkFrameType.ADMIN_REPLY,
        () -> out.writeLong(id).writeByte(kind.code()).writeBytes(bytes));
  }

  private static void frame(ByteBuf out, LinkFrameType type, Runnable body) {
    int start = begin(out, type);
    body.run();
    end(out, start);
  }

  static int begin(ByteBuf out, LinkFrameType type) {
    int start = out.writerIndex();
    out.writeInt(0).writeByte(type.code());
    return start;
  }

  static void end(ByteBuf out, int start) {
    out.setInt(start, out.writerIndex() - start - Integer.BYTES);
  }

  private static ByteBuf string(ByteBuf out, String text) {
    byte[] bytes = text.getBytes(UTF_8);
    int length = Math.min(bytes.length, LinkFormat.TEXT_BYTES_MAX);
    return out.writeShort(length).writeBytes(bytes, 0, length);
  }
}
