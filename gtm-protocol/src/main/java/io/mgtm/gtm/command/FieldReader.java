package io.mgtm.gtm.command;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Reads what {@link FieldWriter} wrote. Too few bytes give a BufferUnderflowException. */
public final class FieldReader {
  private FieldReader() {}

  public static String getString(ByteBuffer in) {
    int length = Short.toUnsignedInt(in.getShort());
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return new String(bytes, Names.BYTES);
  }

  public static boolean getBoolean(ByteBuffer in) {
    return in.get() != 0;
  }

  /**
   * Reads how many items follow.
   *
   * @param itemBytes what one takes at least
   */
  static int getCount(ByteBuffer in, int itemBytes) {
    int count = in.getInt();
    if (count < 0 || (long) count * itemBytes > in.remaining()) {
      throw new BufferUnderflowException();
    }
    return count;
  }

  static NodeType getNodeType(ByteBuffer in) {
    return known(NodeType.ofCode(in.get()), "node type");
  }

  static CommandType getCommandType(ByteBuffer in) {
    return known(CommandType.ofCode(in.get()), "command type");
  }

  /**
   * A value that this version has.
   *
   * @throws UnknownCommandException when it is null
   */
  static <T> T known(T value, String what) {
    if (value == null) {
      throw new UnknownCommandException("unknown " + what);
    }
    return value;
  }
}
