package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;

/**
 * Reads a connection's frames: {@code 'A'} first, then {@code 'C'} commands, {@code 'F'} flushes
 * and {@code 'X'}. From a proxy, a command's body begins with its connection number:
 *
 * <pre>
 *  0    1          5          7            11
 * +----+----------+----------+------------+--------
 * | C  | length   | conn LE  | type       | fields   from a proxy (startup type 1)
 * +----+----------+----------+------------+--------
 * | C  | length   | type     | fields                from anybody else
 * +----+----------+----------+--------
 * </pre>
 *
 * One object serves one connection, on its thread.
 */
public final class RequestDecoder {
  /** More than a startup packet takes. */
  private static final int STARTUP_BYTES_MAX = 4 << 10;

  private final int frameBytesMax;
  private final RequestHandler handler;
  private final FrameReader reader = new FrameReader();
  private long session;
  private short ownBackend = Command.NO_BACKEND;
  private boolean operators;
  private boolean started;
  private boolean proxied;

  /**
   * Makes a decoder.
   *
   * @param frameBytesMax the longest frame, header included
   */
  public RequestDecoder(int frameBytesMax, RequestHandler handler) {
    this.frameBytesMax = frameBytesMax;
    this.handler = handler;
  }

  /** Sets the session that commands are for; before the first command. */
  public void session(long id) {
    this.session = id;
  }

  /** Sets the backend that commands of a peer which is no proxy are for; NO_BACKEND unless set. */
  public void backend(short backend) {
    this.ownBackend = backend;
  }

  /** From here on what operators alone may ask is taken; before the first command. */
  public void allowOperators() {
    this.operators = true;
  }

  /** Whether the peer is a proxy, so that replies carry its connection numbers. */
  public boolean proxied() {
    return proxied;
  }

  /**
   * Takes every whole frame from {@code in}, and leaves the rest.
   *
   * @throws WireException when the peer broke the protocol; what was read before it has been handed
   *     over
   */
  public void decode(ByteBuf in) throws WireException {
    boolean more = true;
    while (more) {
      more = decodeNext(in);
    }
  }

  /**
   * Takes the next frame from {@code in} if it is whole.
   *
   * @return whether it was
   * @throws WireException when the peer broke the protocol
   */
  public boolean decodeNext(ByteBuf in) throws WireException {
    int start = in.readerIndex();
    if (in.readableBytes() < FrameLimits.HEADER_BYTES) {
      if (in.isReadable()) {
        checkType(in.getByte(start));
      }
      return false;
    }
    byte type = in.getByte(start);
    long frameBytes = 1L + in.getInt(start + 1);
    checkFrame(type, frameBytes);
    if (in.readableBytes() < frameBytes) {
      return false;
    }
    int end = start + (int) frameBytes;
    reader.wrap(in, start + FrameLimits.HEADER_BYTES, end, "frame");
    frame(type);
    in.readerIndex(end);
    return true;
  }

  private void checkFrame(byte type, long frameBytes) throws WireException {
    checkType(type);
    int bytesMax = started ? frameBytesMax : STARTUP_BYTES_MAX;
    if (frameBytes < FrameLimits.HEADER_BYTES || frameBytes > bytesMax) {
      throw new WireException(
          "the length of a frame is " + (frameBytes - 1) + ", allowed is 4 to " + (bytesMax - 1));
    }
  }

  private void checkType(byte type) throws WireException {
    if (started ? type != 'C' && type != 'F' && type != 'X' : type != 'A') {
      throw new WireException(
          started
              ? "invalid frontend message type " + (type & 0xff)
              : "expecting a startup packet, received message type " + (type & 0xff),
          started ? "" : "This port speaks the GTM protocol of Postgres-XC 1.2.");
    }
  }

  private void frame(byte type) throws WireException {
    switch (type) {
      case 'C' -> {
        short backend = proxied ? reader.readHostShort() : ownBackend;
        command(backend);
      }
      case 'A' -> {
        reader.named("startup packet");
        Startup startup = Startup.read(reader);
        started = true;
        proxied = startup.nodeType() == NodeType.PROXY;
        handler.startup(startup);
      }
      case 'X' -> handler.terminate();
      default -> {
        // 'F' asks for a flush, which every read ends with anyway; its body repeats the type.
        reader.readInt();
        reader.expectEnd();
      }
    }
  }

  /**
   * A proxy passes on what its backends send. One that breaks a command's rules is told, and the
   * others that share the connection go on: the frame itself is whole.
   */
  private void command(short backend) throws WireException {
    try {
      readCommand(backend);
    } catch (WireException e) {
      if (!proxied) {
        throw e;
      }
      handler.refused(null, backend, e.getMessage(), e.hint());
    }
  }

  private void readCommand(short backend) throws WireException {
    int code = reader.readInt();
    MessageType type = MessageType.ofCode(code);
    if (type == null) {
      throw new WireException("invalid command type " + code);
    }
    reader.named(type);
    switch (type.senders()) {
      case ALL -> handler.command(type, backend, read(type, backend));
      case OPERATORS -> {
        Command command = read(type, backend);
        if (operators) {
          handler.command(type, backend, command);
        } else {
          handler.refused(
              type,
              backend,
              type + " is taken from the machine of the GTM or proxy alone",
              "Ask there, at 127.0.0.1.");
        }
      }
      case STANDBYS ->
          handler.refused(
              type,
              backend,
              type + " is sent between an original GTM and its standby only",
              "This GTM replicates among its own members: start them with mgtm gtm start"
                  + " --members.");
      case NOBODY -> throw new WireException("invalid command type " + code);
    }
  }

  private Command read(MessageType type, short backend) throws WireException {
    Command command = type.read(reader, session, backend);
    reader.expectEnd();
    return command;
  }
}
