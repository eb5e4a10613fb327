package io.mgtm.gtm.command;

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

  @Override
  public String toString() {
    return (byGxid ? "gxid " : "handle ") + Integer.toUnsignedString(value);
  }
}
