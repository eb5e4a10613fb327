package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.UnknownCommandException;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Reads what a gateway sends: the preface, then frames. One object serves a connection. */
public final class GatewayFrameDecoder extends FrameSplitter {
  /** The least that a command takes, with its backend. */
  private static final int COMMAND_BYTES_MIN = Short.BYTES + 1;

  private final GatewayFrameHandler handler;
  private boolean begun;

  /**
   * A decoder at the beginning of a link.
   *
   * @param frameBytesMax the longest frame
   */
  public GatewayFrameDecoder(int frameBytesMax, GatewayFrameHandler handler) {
    super(frameBytesMax, false);
    this.handler = handler;
  }

  @Override
  public void decode(ByteBuf in) throws WireException {
    if (!begun) {
      if (in.readableBytes() < LinkFormat.PREFACE_BYTES) {
        return;
      }
      handler.version(preface(in));
      begun = true;
    }
    super.decode(in);
  }

  private static int preface(ByteBuf in) throws WireException {
    int magic = in.readInt();
    int version = in.readUnsignedShort();
    int flags = in.readUnsignedShort();
    if (magic != LinkFormat.MAGIC) {
      throw new WireException("a link that does not begin with MGTM");
    }
    if (version < LinkFormat.VERSION_MIN || version > LinkFormat.VERSION || flags != 0) {
      throw new WireException(
          "a link of version %d with flags %d; this node speaks versions %d to %d"
              .formatted(version, flags, LinkFormat.VERSION_MIN, LinkFormat.VERSION),
          "Upgrade the nodes of the group before their proxies.");
    }
    return version;
  }

  /**
   * Reads commands as {@link LinkWriter#commands} takes them; they must be all that {@code rest}
   * holds.
   *
   * @throws WireException when they are broken or too long
   */
  public static List<LinkCommand> commands(ByteBuf rest, int count) throws WireException {
    ByteBuffer in = rest.nioBuffer();
    List<LinkCommand> commands = new ArrayList<>(count);
    try {
      for (int i = 0; i < count; i++) {
        int from = in.position();
        short backend = in.getShort();
        Command command = CommandCodec.decode(in);
        if (in.position() - from > LinkFormat.COMMAND_BYTES_MAX) {
          throw new WireException(
              "COMMANDS: one command takes %d bytes, allowed are %d"
                  .formatted(in.position() - from, LinkFormat.COMMAND_BYTES_MAX));
        }
        commands.add(new LinkCommand(backend, command));
      }
    } catch (BufferUnderflowException e) {
      throw new WireException("COMMANDS: it ends within a command");
    } catch (UnknownCommandException e) {
      throw new WireException(
          "COMMANDS: " + e.getMessage(), "Upgrade the nodes of the group before their proxies.");
    }
    if (in.hasRemaining()) {
      throw new WireException("COMMANDS: " + in.remaining() + " bytes too many");
    }
    return commands;
  }

  @Override
  void frame(LinkFrameType type, FrameBody in) throws WireException {
    switch (type) {
      case HELLO -> hello(in);
      case AUTH -> handler.auth(in.last(in.readBytes(LinkFormat.SECRET_BYTES)));
      case ATTACH ->
          handler.attach(
              in.readSession(),
              in.readBoolean(),
              in.readNumber("acked"),
              in.last(in.readBoolean()));
      case COMMANDS -> commands(in);
      case CLOSE -> handler.close(in.last(in.readSession()));
      case PRESENT -> handler.present(in.readEntries());
      case PULL -> handler.pull(in.readLong(), in.last(in.readBoolean()));
      case PING -> handler.ping(in.last(in.readLong()));
      case ADMIN ->
          handler.admin(
              in.readLong(),
              in.readText("verb", LinkFormat.NAME_CHARS_MAX),
              in.last(in.readText("argument", LinkFormat.TEXT_BYTES_MAX)));
      default -> throw new IllegalStateException(type + " is a node's");
    }
  }

  private void hello(FrameBody in) throws WireException {
    String name = in.readName("name", false);
    int code = in.readByte();
    GatewayKind kind = GatewayKind.ofCode(code);
    if (kind == null) {
      throw new WireException("HELLO: unknown kind of gateway " + code);
    }
    handler.hello(name, in.last(kind));
  }

  private void commands(FrameBody in) throws WireException {
    long session = in.readSession();
    long acked = in.readNumber("acked");
    long first = in.readNumber("first");
    int count = in.readInt();
    if (first <= acked || first > Long.MAX_VALUE - LinkFormat.WINDOW_COMMANDS) {
      throw new WireException(
          "COMMANDS: the first is %d after replies up to %d".formatted(first, acked));
    }
    if (count < 1
        || count > LinkFormat.WINDOW_COMMANDS
        || (long) count * COMMAND_BYTES_MIN > in.remaining()) {
      throw new WireException("COMMANDS: it counts " + count + " commands");
    }
    handler.commands(session, acked, first, commands(in.readRest(), count));
  }
}
