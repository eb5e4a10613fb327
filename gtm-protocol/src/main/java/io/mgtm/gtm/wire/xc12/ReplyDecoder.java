package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * Reads a server's frames, of mgtm or of the original: what {@link ReplyEncoder} writes.
 *
 * <pre>
 *  0    1          5
 * +----+----------+
 * | R  | 4        |                                         startup accepted
 * +----+----------+----------+----------+--------
 * | S  | length   | result   | conn LE  | fields            success; conn to a proxy only
 * +----+----------+----------+----------+--------
 * | E  | length   | conn LE  | 'S' severity 0 'M' message 0 'H' hint 0 0
 * +----+----------+----------+--------
 * </pre>
 *
 * <p>Some fields of a {@link Reply} do not stand on the wire: handles where only a gxid is sent are
 * {@link #NO_HANDLE}, a vacuum's begin has the timestamp 0, and a dropped database's sequences
 * answer as one dropped sequence does.
 *
 * <p>One object serves one connection, on its thread.
 */
public final class ReplyDecoder {
  /** InvalidTransactionHandle. */
  public static final int NO_HANDLE = -1;

  /** Room for a million sequences with names of 400 bytes. */
  public static final int FRAME_BYTES_MAX = 512 * 1024 * 1024;

  private final int frameBytesMax;
  private final boolean proxied;
  private final ReplyHandler handler;
  private final FrameReader reader = new FrameReader();

  /**
   * Makes a decoder.
   *
   * @param frameBytesMax the longest frame, header included
   * @param proxied whether this end is a proxy, so that replies carry connection numbers
   */
  public ReplyDecoder(int frameBytesMax, boolean proxied, ReplyHandler handler) {
    this.frameBytesMax = frameBytesMax;
    this.proxied = proxied;
    this.handler = handler;
  }

  /**
   * Takes every whole frame from {@code in}, and leaves the rest.
   *
   * @throws WireException when the server broke the protocol; what was read before it has been
   *     handed over
   */
  public void decode(ByteBuf in) throws WireException {
    while (in.readableBytes() >= FrameLimits.HEADER_BYTES) {
      int start = in.readerIndex();
      byte type = in.getByte(start);
      long frameBytes = 1L + in.getInt(start + 1);
      checkFrame(type, frameBytes);
      if (in.readableBytes() < frameBytes) {
        return;
      }
      int end = start + (int) frameBytes;
      reader.wrap(in, start + FrameLimits.HEADER_BYTES, end, "reply");
      frame(type);
      in.readerIndex(end);
    }
    if (in.isReadable()) {
      checkType(in.getByte(in.readerIndex()));
    }
  }

  /** How many bytes the frame lacks that {@code in} begins with, as far as can be told. */
  public int missingBytes(ByteBuf in) {
    if (in.readableBytes() < FrameLimits.HEADER_BYTES) {
      return 0;
    }
    long frameBytes = 1L + in.getInt(in.readerIndex() + 1);
    return (int) Math.max(0, Math.min(frameBytes, frameBytesMax) - in.readableBytes());
  }

  private void checkFrame(byte type, long frameBytes) throws WireException {
    checkType(type);
    if (frameBytes < FrameLimits.HEADER_BYTES || frameBytes > frameBytesMax) {
      throw new WireException(
          "the length of a reply is "
              + (frameBytes - 1)
              + ", allowed is 4 to "
              + (frameBytesMax - 1));
    }
  }

  private static void checkType(byte type) throws WireException {
    if (type != 'S' && type != 'E' && type != 'R' && type != 'N') {
      throw new WireException(
          "unexpected reply type " + (type & 0xff),
          "Is it a GTM of Postgres-XC 1.2 that listens there?");
    }
  }

  private void frame(byte type) throws WireException {
    switch (type) {
      case 'S' -> success();
      case 'E' -> error();
      case 'R' -> handler.startupAccepted();
      default -> {
        // 'N' is a notice: of no meaning to a program.
      }
    }
  }

  private short backend() throws WireException {
    return proxied ? reader.readHostShort() : Command.NO_BACKEND;
  }

  private void error() throws WireException {
    short backend = backend();
    String severity = "";
    String message = "";
    String hint = "";
    for (int field = reader.readByte(); field != 0; field = reader.readByte()) {
      String text = reader.readTerminated();
      switch (field) {
        case 'S' -> severity = text;
        case 'M' -> message = text;
        case 'H' -> hint = text;
        default -> {
          // Source file, line and the like, which the original may send.
        }
      }
    }
    reader.expectEnd();
    boolean fatal = severity.equals("FATAL") || severity.equals("PANIC");
    handler.error(backend, fatal, text(message), text(hint));
  }

  private static String text(String bytes) {
    return new String(bytes.getBytes(Names.BYTES), StandardCharsets.UTF_8);
  }

  private void success() throws WireException {
    int code = reader.readInt();
    ResultType type = ResultType.ofCode(code);
    if (type == null) {
      throw new WireException("invalid result type " + code);
    }
    reader.named(type);
    short backend = backend();
    Reply reply = type.read(reader);
    reader.expectEnd();
    handler.reply(type, backend, reply);
  }
}
