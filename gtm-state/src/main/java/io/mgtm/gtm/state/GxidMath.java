package io.mgtm.gtm.state;

/**
 * Gxids are 64 bits inside: the epoch above, the 32 bits of the wire below. Wire values 0 to 2 are
 * special (invalid, bootstrap, frozen) and never given, so that the value after 0xffffffff of one
 * epoch is 3 of the next.
 */
final class GxidMath {
  /** FirstNormalGlobalTransactionId. */
  static final long FIRST_NORMAL = 3;

  /** How far two gxids may be apart for 32 bits to tell which is older. */
  static final long HALF_SPACE = 1L << 31;

  private static final long WIRE_MASK = 0xffff_ffffL;

  private GxidMath() {}

  static int wire(long gxid) {
    return (int) gxid;
  }

  static boolean isNormal(long gxid) {
    return (gxid & WIRE_MASK) >= FIRST_NORMAL;
  }

  /** The gxid after {@code gxid}. */
  static long next(long gxid) {
    long next = gxid + 1;
    return isNormal(next) ? next : (next & ~WIRE_MASK) + FIRST_NORMAL;
  }

  /** The gxid before {@code gxid}; for the very first one, FIRST_NORMAL - 1. */
  static long previous(long gxid) {
    long previous = gxid - 1;
    return isNormal(previous) || previous < FIRST_NORMAL ? previous : (previous & ~WIRE_MASK) - 1;
  }

  /** The first normal gxid at or after {@code gxid}. */
  static long atLeastNormal(long gxid) {
    return isNormal(gxid) ? gxid : (gxid & ~WIRE_MASK) + FIRST_NORMAL;
  }

  /** The newest gxid not after {@code reference} whose low 32 bits are {@code wire}. */
  static long notAfter(long reference, int wire) {
    return reference - ((reference - Integer.toUnsignedLong(wire)) & WIRE_MASK);
  }
}
