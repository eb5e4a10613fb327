package io.mgtm.gtm.sim;

import io.mgtm.group.GroupMode;

/**
 * What is simulated.
 *
 * @param size how many members there are, a witness among them
 * @param witnessed whether one of them keeps no data
 * @param quorumDisk whether that is no machine, but a disk
 * @param harsh whether a majority may lose power at once, so that what was not forced may be lost
 * @param lossAccepted whether such a group goes on when an operator says so, and not by itself
 */
record Scenario(
    GroupMode mode,
    int size,
    boolean witnessed,
    boolean quorumDisk,
    boolean harsh,
    boolean lossAccepted,
    Fault fault) {

  private Scenario(GroupMode mode, int size, boolean witnessed, boolean harsh, Fault fault) {
    this(mode, size, witnessed, false, harsh, false, fault);
  }

  /** A pair whose witness is a disk that both reach. */
  static Scenario ofQuorumDisk(long seed, Fault fault) {
    boolean harsh = seed % 4 == 3;
    return new Scenario(GroupMode.FIFO, 3, true, true, harsh, false, fault);
  }

  /** One in which an operator accepts what is lost. */
  static Scenario ofAcceptedLoss(GroupMode mode, long seed, Fault fault) {
    return new Scenario(mode, seed % 5 == 4 ? 5 : 3, false, false, true, true, fault);
  }

  /** That of a seed. */
  static Scenario of(GroupMode mode, long seed, Fault fault) {
    if (fault.isOfAcceptedLoss()) {
      return ofAcceptedLoss(mode, seed, fault);
    }
    if (fault.isOfQuorumDisk()) {
      return ofQuorumDisk(seed, fault);
    }
    boolean harsh = fault.isOfLoss() || seed % 4 == 3;
    return switch (mode) {
      case FIFO ->
          seed % 5 == 1 || fault.isOfWitness()
              ? new Scenario(mode, 3, true, harsh, fault)
              : new Scenario(mode, sizeOf(seed), false, harsh, fault);
      case CAUSAL -> new Scenario(mode, 3, false, harsh, fault);
      case TOTAL ->
          new Scenario(mode, seed % 7 == 6 ? 5 : seed % 5 == 4 ? 2 : 3, false, harsh, fault);
      case LAZY ->
          seed % 3 == 1 || fault.isOfWitness()
              ? new Scenario(mode, 3, true, false, fault)
              : new Scenario(mode, 2 + (int) (seed % 2), false, false, fault);
    };
  }

  private static int sizeOf(long seed) {
    return seed % 5 == 4 ? 5 : seed % 7 == 6 ? 2 : seed % 23 == 22 ? 7 : 3;
  }

  /**
   * How long there are faults; in mode lazy each may cost the time that gateways are waited for.
   */
  int faultsMs() {
    return isLazy() ? 6_000 : 2_500;
  }

  boolean isLazy() {
    return mode == GroupMode.LAZY;
  }

  /** Of {@link SimulationTest}, which runs it. */
  String testMethod() {
    return quorumDisk
        ? "norBesideAQuorumDisk"
        : lossAccepted ? "norWhenAnOperatorAcceptsALoss" : "noScheduleBreaksAPromise";
  }
}
