package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * How a client names a transaction: by gxid, as every XC node does, or by the handle that a begin
 * without gxid returned.
 *
 * @param byGxid whether {@code value} is a gxid
 * @param value the low 32 bits of the gxid, or the handle
 */
public record TransactionRef(boolean byGxid, int value) {

  public static TransactionRef gxid(int gxid) {
    return new TransactionRef(true, gxid);
  }

  public static TransactionRef handle(int handle) {
    return new TransactionRef(false, handle);
  }

  void write(ByteBuffer out) {
    FieldWriter.putBoolean(out, byGxid);
    out.putInt(value);
  }

  static TransactionRef read(ByteBuffer in) {
    return new TransactionRef(FieldReader.getBoolean(in), in.getInt());
  }

  static void writeAll(List<TransactionRef> refs, ByteBuffer out) {
    out.putInt(refs.size());
    for (TransactionRef ref : refs) {
      ref.write(out);
    }
  }

  static List<TransactionRef> readAll(ByteBuffer in) {
    int count = FieldReader.getCount(in, 1 + Integer.BYTES);
    List<TransactionRef> refs = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      refs.add(read(in));
    }
    return refs;
  }

  @Override
  public String toString() {
    return (byGxid ? "gxid " : "handle ") + Integer.toUnsignedString(value);
  }
}
