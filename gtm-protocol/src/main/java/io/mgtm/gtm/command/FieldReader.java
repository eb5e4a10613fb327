package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/** Reads what {@link FieldWriter} wrote. Too few bytes give a BufferUnderflowException. */
public final class FieldReader {
  private FieldReader() {}

  public static String getString(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    if (length > in.remaining()) {
      throw new java.nio.BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, Names.BYTES);
  }

  public static boolean getBoolean(ByteBuffer in) {
    return in.get() != 0;
  }
}
