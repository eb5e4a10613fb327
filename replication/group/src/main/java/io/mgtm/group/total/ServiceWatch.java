package io.mgtm.group.total;

/**
 * Decides whether a member serves: whether its proposals come back. Time comes in as a number.
 * Owner thread.
 *
 * <p>A member with nothing to propose proposes a probe now and then. While something waits and
 * nothing has been settled for the stall time, the member is cut off, or the group has no majority.
 */
final class ServiceWatch {
  private final long stallMs;
  private final long probeMs;
  private final long repeatMs;
  private boolean serving;
  private boolean waits;

  /** When a proposal was last settled, or, when nothing waited then, the next one made. */
  private long progressMs;

  private long proposedMs;
  private long repeatedMs;

  /**
   * A member that does not serve.
   *
   * @param stallMs how long nothing comes back before it no longer serves
   * @param probeMs how long nothing is proposed before a probe is
   * @param repeatMs how long nothing comes back before all is sent again
   */
  ServiceWatch(long stallMs, long probeMs, long repeatMs, long nowMs) {
    this.stallMs = stallMs;
    this.probeMs = probeMs;
    this.repeatMs = repeatMs;
    this.progressMs = nowMs;
    this.proposedMs = nowMs - probeMs;
    this.repeatedMs = nowMs;
  }

  boolean isServing() {
    return serving;
  }

  /** Something was proposed. */
  void proposed(long nowMs) {
    if (!waits) {
      waits = true;
      progressMs = nowMs;
      repeatedMs = nowMs;
    }
    proposedMs = nowMs;
  }

  /** Something was settled; the answer is whether that lets the member serve. */
  boolean settled(boolean allOfIt, long nowMs) {
    waits = !allOfIt;
    progressMs = nowMs;
    repeatedMs = nowMs;
    boolean begins = !serving;
    serving = true;
    return begins;
  }

  /** Whether nothing has come back for so long that the member no longer serves. */
  boolean stalls(long nowMs) {
    if (serving && waits && nowMs - progressMs >= stallMs) {
      serving = false;
      return true;
    }
    return false;
  }

  /** Whether a probe is due. */
  boolean wantsProbe(long nowMs) {
    return !waits && nowMs - proposedMs >= probeMs;
  }

  /** Whether all that waits is to be sent again; it is then, for this time. */
  boolean wantsRepeat(long nowMs) {
    if (waits && nowMs - repeatedMs >= repeatMs) {
      repeatedMs = nowMs;
      return true;
    }
    return false;
  }
}
