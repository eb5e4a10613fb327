package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Effect;

/**
 * Gives gxids, strictly increasing, and knows how far wraparound is. The limits are those of
 * PostgreSQL (varsup.c): ids wrap half the 32-bit space after the oldest one that a table may still
 * hold. XC never tells its GTM which that is, so an operator does, by {@link #advanceOldest}.
 */
final class GxidAllocator {
  /** How many gxids one raise reserves; at most twice as many are skipped after a crash. */
  static final long RESERVE_STEP = 65_536;

  private final Reservation reservation;
  private long next;
  private long oldest;

  GxidAllocator(long first) {
    this.next = GxidMath.atLeastNormal(first);
    this.oldest = next;
    this.reservation = new Reservation(next, RESERVE_STEP);
  }

  GxidAllocator(long next, long oldest, Reservation reservation) {
    this.next = next;
    this.oldest = oldest;
    this.reservation = reservation;
  }

  GxidAllocator copy() {
    return new GxidAllocator(next, oldest, reservation.copy());
  }

  long next() {
    return next;
  }

  long oldest() {
    return oldest;
  }

  Reservation reservation() {
    return reservation;
  }

  /** One that gives nothing before {@link #start}. */
  static GxidAllocator notStarted() {
    return new GxidAllocator(
        GxidMath.FIRST_NORMAL, 0, new Reservation(GxidMath.FIRST_NORMAL, RESERVE_STEP));
  }

  /** Whether it is known where gxids begin: no table's oldest gxid is ever 0. */
  boolean started() {
    return oldest != 0;
  }

  /** Begins; the entry that does so must be forced. */
  void start(long first, long oldestGxid) {
    next = GxidMath.atLeastNormal(first);
    oldest = oldestGxid;
    reservation.restart(next, RESERVE_STEP);
  }

  /** Gives the next gxid; to be followed by {@link #settle} within the same command. */
  long take() {
    long gxid = next;
    next = GxidMath.next(gxid);
    if (next <= gxid) {
      throw new IllegalStateException("gxid went back from " + gxid + " to " + next);
    }
    return gxid;
  }

  /** Accounts for what was taken since the last call. */
  Effect settle(long entry) {
    return reservation.useUpTo(next, RESERVE_STEP, entry);
  }

  /** After a crash: goes on where nothing can have been handed out, and {@code more} further. */
  void skipReserved(long more) {
    next = GxidMath.atLeastNormal(reservation.reserved() + more);
    reservation.restart(next, RESERVE_STEP);
  }

  /** Where ids wrap. */
  long wrapAt() {
    return oldest + GxidMath.HALF_SPACE;
  }

  long stopAt(Limits limits) {
    return wrapAt() - limits.gxidStopMargin();
  }

  long warnAt(Limits limits) {
    return wrapAt() - limits.gxidWarnMargin();
  }

  /** Whether {@code count} more may be given. */
  boolean mayTake(int count, Limits limits) {
    return next + count <= stopAt(limits);
  }

  /** Moves the origin of the limits ahead; the caller has checked it. */
  void advanceOldest(long gxid) {
    oldest = gxid;
  }
}
