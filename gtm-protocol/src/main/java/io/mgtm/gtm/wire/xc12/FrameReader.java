package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;

/**
 * Reads the fields of one frame's body at a time, and not beyond it. One object serves a
 * connection; it keeps no bytes.
 */
public final class FrameReader {
  private ByteBuf buffer;
  private int position;
  private int end;
  private Object what = "frame";

  /**
   * Turns to a body.
   *
   * @param what its name in errors
   */
  public void wrap(ByteBuf buffer, int start, int end, Object what) {
    this.buffer = buffer;
    this.position = start;
    this.end = end;
    this.what = what;
  }

  /** Names what is being read, once it is known. */
  public void named(Object name) {
    this.what = name;
  }

  public int remaining() {
    return end - position;
  }

  /** One byte, as a number from 0 to 255. */
  public int readByte() throws WireException {
    return buffer.getUnsignedByte(take(1));
  }

  /** A C bool. */
  public boolean readBoolean() throws WireException {
    return readByte() != 0;
  }

  /** A number sent by gtmpqPutInt: big-endian. */
  public int readInt() throws WireException {
    return buffer.getInt(take(Integer.BYTES));
  }

  /** A 16-bit number sent by gtmpqPutInt: big-endian. */
  public short readShort() throws WireException {
    return buffer.getShort(take(Short.BYTES));
  }

  /** A 32-bit field copied from memory: little-endian. */
  public int readHostInt() throws WireException {
    return buffer.getIntLE(take(Integer.BYTES));
  }

  /** A 16-bit field copied from memory: little-endian. */
  public short readHostShort() throws WireException {
    return buffer.getShortLE(take(Short.BYTES));
  }

  /** A 64-bit field copied from memory: little-endian. */
  public long readHostLong() throws WireException {
    return buffer.getLongLE(take(Long.BYTES));
  }

  /** A counted string: big-endian length, then the bytes. */
  public String readString(String field, int bytesMax) throws WireException {
    int length = readInt();
    if (length < 0 || length > bytesMax) {
      throw new WireException(
          what
              + ": the length of its "
              + field
              + " is "
              + length
              + ", allowed is 0 to "
              + bytesMax);
    }
    return readBytes(length);
  }

  /** {@code length} bytes as {@link Names#BYTES}. */
  public String readBytes(int length) throws WireException {
    return buffer.toString(take(length), length, Names.BYTES);
  }

  /**
   * A count of items.
   *
   * @param itemBytesMin the least that one takes, so that the rest of the body must hold them
   */
  public int readCount(int itemBytesMin) throws WireException {
    int count = readInt();
    if (count <= 0 || count > FrameLimits.GROUP_MAX) {
      throw new WireException(
          what + ": it counts " + count + " items, allowed is 1 to " + FrameLimits.GROUP_MAX);
    }
    if ((long) count * itemBytesMin > remaining()) {
      throw new WireException(what + ": it counts " + count + " items, and has bytes for fewer");
    }
    return count;
  }

  /**
   * A count of items that only the frame's own length bounds.
   *
   * @param itemBytesMin the least that one takes, so that the rest of the body must hold them
   */
  public int readListCount(int itemBytesMin) throws WireException {
    return requireFits(readInt(), itemBytesMin);
  }

  /** As {@link #readListCount}, little-endian. */
  public int readHostListCount(int itemBytesMin) throws WireException {
    return requireFits(readHostInt(), itemBytesMin);
  }

  private int requireFits(int count, int itemBytesMin) throws WireException {
    if (count < 0 || (long) count * itemBytesMin > remaining()) {
      throw new WireException(what + ": it counts " + count + " items, and has bytes for fewer");
    }
    return count;
  }

  /** A string with a little-endian length, as gtm_serialize.c has it. */
  public String readHostString() throws WireException {
    return readBytes(requireFits(readHostInt(), 1));
  }

  /** The bytes up to a C terminator, which is read too. */
  public String readTerminated() throws WireException {
    int nul = buffer.indexOf(position, end, (byte) 0);
    if (nul < 0) {
      throw new WireException(what + ": a string has no end");
    }
    String text = readBytes(nul - position);
    position++;
    return text;
  }

  /** Passes over bytes that mean nothing here. */
  public void skip(int bytes) throws WireException {
    take(bytes);
  }

  /** The next {@code count} gxids, each little-endian. */
  public int[] readHostInts(int count) throws WireException {
    int at = take(count * Integer.BYTES);
    int[] values = new int[count];
    for (int i = 0; i < count; i++) {
      values[i] = buffer.getIntLE(at + i * Integer.BYTES);
    }
    return values;
  }

  /** That nothing is left. */
  public void expectEnd() throws WireException {
    if (position != end) {
      throw new WireException(what + ": " + remaining() + " bytes too many");
    }
  }

  private int take(int bytes) throws WireException {
    int at = position;
    if (bytes < 0 || bytes > end - at) {
      throw new WireException(what + ": it ends too early");
    }
    position = at + bytes;
    return at;
  }
}
