package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/** Writes the field types that logs and checkpoints are made of; big-endian, strings by length. */
public final class FieldWriter {
  /** The longest string, in bytes. */
  public static final int STRING_BYTES_MAX = 0xffff;

  private FieldWriter() {}

  /**
   * Writes {@code length:u16 bytes}, the bytes as {@link Names#BYTES}.
   *
   * @throws IllegalArgumentException when it is longer than {@link #STRING_BYTES_MAX}
   */
  public static void putString(ByteBuffer out, String s) {
    int length = s.length();
    if (length > STRING_BYTES_MAX) {
      throw new IllegalArgumentException("a name of " + length + " bytes cannot be stored");
    }
    out.putShort((short) length);
    for (int i = 0; i < length; i++) {
      out.put((byte) s.charAt(i));
    }
  }

  public static void putBoolean(ByteBuffer out, boolean b) {
    out.put((byte) (b ? 1 : 0));
  }

  /** What {@link #putString} takes. */
  public static int sizeOf(String s) {
    return Short.BYTES + s.length();
  }
}
