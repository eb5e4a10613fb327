package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;

/**
 * Cuts a stream of messages into {@link Frame}s. Types that may be of any length and are only
 * passed on are streamed: nothing of them is held. All others are held until whole, up to a limit
 * that is checked before anything is kept. Not thread-safe: it belongs to one connection.
 */
public final class FrameSplitter {
  /** Who sends the messages. */
  public enum Sender {
    /** A client, after its startup packet. */
    CLIENT("QFPBd", "EDCSHXpcf", "d"),

    /** A server, from its first answer on. */
    SERVER("TDdENAtVvS", "123nsICZKRGHWc", "Dd"),

    /** A server whose rows are to be read here: they are held as well. */
    SERVER_HELD("TDdENAtVvS", "123nsICZKRGHWc", "");

    private final String large;
    private final String small;
    private final String streamed;

    Sender(String large, String small, String streamed) {
      this.large = large;
      this.small = small;
      this.streamed = streamed;
    }
  }

  /** What PostgreSQL allows of messages that may be large. */
  public static final int LARGE_BYTES_MAX = 0x3fffffff;

  /** PostgreSQL's limits are 10,000 for most of these, and 65,535 for those that authenticate. */
  public static final int SMALL_BYTES_MAX = 65_535;

  private static final int LENGTH_BYTES = 4;

  private final Sender sender;
  private final int heldBytesMax;

  private boolean holding;

  /** Of a streamed message that was not yet seen whole. */
  private byte type;

  private long remaining;

  /**
   * A splitter at the beginning of a message.
   *
   * @param heldBytesMax the longest message that is held
   */
  public FrameSplitter(Sender sender, int heldBytesMax) {
    this.sender = sender;
    this.heldBytesMax = heldBytesMax;
  }

  /** Whether rows are held from the next message on; to be called between messages. */
  public void hold(boolean rows) {
    holding = rows;
  }

  private boolean isStreamed(byte t) {
    return sender.streamed.indexOf(t) >= 0 && !(holding && t == 'D');
  }

  /**
   * The next frame, retained, or null when more bytes are needed for one.
   *
   * @throws WireException when there is no such type, or the length is not allowed
   */
  public Frame next(ByteBuf in) {
    if (remaining == 0) {
      if (in.readableBytes() < Frame.HEADER_BYTES) {
        return null;
      }
      byte first = in.getByte(in.readerIndex());
      long bytes = 1L + length(in, in.readerIndex());
      if (!isStreamed(first)) {
        return in.readableBytes() < bytes
            ? null
            : new Frame(first, 1, in.readRetainedSlice((int) bytes));
      }
      type = first;
      remaining = bytes;
    }
    return in.isReadable() ? run(in) : null;
  }

  /** As much as there is of messages of this type, one after the other. */
  private Frame run(ByteBuf in) {
    int end = in.writerIndex();
    int at = in.readerIndex();
    int ends = 0;
    while (true) {
      if (remaining > end - at) {
        remaining -= end - at;
        at = end;
        break;
      }
      at += (int) remaining;
      remaining = 0;
      ends++;
      if (end - at < Frame.HEADER_BYTES || in.getByte(at) != type) {
        break;
      }
      remaining = 1L + length(in, at);
    }
    return new Frame(type, ends, in.readRetainedSlice(at - in.readerIndex()));
  }

  /** What stands in a header, checked. */
  private int length(ByteBuf in, int at) {
    byte t = in.getByte(at);
    int length = in.getInt(at + 1);
    boolean large = sender.large.indexOf(t) >= 0;
    if (!large && sender.small.indexOf(t) < 0) {
      throw new WireException(
          WireException.PROTOCOL_VIOLATION, "invalid message type " + (t & 0xff));
    }
    if (length < LENGTH_BYTES) {
      throw new WireException(
          WireException.PROTOCOL_VIOLATION,
          "invalid length " + length + " of a message of type " + (char) t);
    }
    int max = large ? LARGE_BYTES_MAX : SMALL_BYTES_MAX;
    if (!isStreamed(t)) {
      max = Math.min(max, heldBytesMax);
    }
    if (length > max) {
      throw new WireException(
          WireException.LIMIT_EXCEEDED,
          "a message of type %c has %d bytes, at most %d are taken"
              .formatted((char) t, length, max));
    }
    return length;
  }
}
