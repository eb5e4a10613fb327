package io.mgtm.gtm.sim;

import io.mgtm.group.GroupMode;

/**
 * What is simulated. Mode causal is not: it is mode fifo over a protocol of JGroups that keeps
 * messages in causal order, and a simulation has a network of its own in the place of JGroups,
 * which keeps less order than either.
 *
 * @param size how many members there are, a witness among them
 * @param witnessed whether one of them keeps no data
 * @param quorumDisk whether that is no machine, but a disk
 * @param harsh whether a majority may lose power at once, so that what was not forced may be lost
 * @param lossAccepted whether such a group goes on when an operator says so, and not by itself
 * @param alone whether the one that there is has no group
 */
record Scenario(
    GroupMode mode,
    int size,
    boolean witnessed,
    boolean quorumDisk,
    boolean harsh,
    boolean lossAccepted,
    boolean alone,
    Fault fault) {

  private static final long QUERY_LEASE_MAX_MS = 60;

  private Scenario(GroupMode mode, int size, boolean witnessed, boolean harsh, Fault fault) {
    this(mode, size, witnessed, false, harsh, false, false, fault);
  }

  /** A pair whose witness is a disk that both reach. */
  static Scenario ofQuorumDisk(long seed, Fault fault) {
    boolean harsh = seed % 4 == 3;
    return new Scenario(GroupMode.FIFO, 3, true, true, harsh, false, false, fault);
  }

  /** One in which an operator accepts what is lost. */
  static Scenario ofAcceptedLoss(GroupMode mode, long seed, Fault fault) {
    return new Scenario(mode, seed % 5 == 4 ? 5 : 3, false, false, true, true, false, fault);
  }

  /**
   * A group of one that others may join, whose machine loses power in some schedules; or, in most,
   * a node without a group, which has to tell of a loss after each end that was not clean.
   */
  static Scenario ofOne(long seed, Fault fault) {
    boolean alone = seed % 3 > 0;
    boolean harsh = alone || fault.isOfLoss() || seed % 2 == 0;
    return new Scenario(GroupMode.FIFO, 1, false, false, harsh, false, alone, fault);
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

  /**
   * How long members promise to let no other lead than one that they have answered, so that it
   * answers queries alone; 0 for not at all.
   */
  long queryLeaseMs(long seed) {
    if (fault == Fault.QUERY_LEASE_ON_NO_PROMISE) {
      return QUERY_LEASE_MAX_MS;
    }
    boolean leased = mode == GroupMode.FIFO && fault == Fault.NONE && seed % 2 == 0;
    return leased ? QUERY_LEASE_MAX_MS - 10 * (seed / 2 % 5) : 0;
  }

  boolean isLazy() {
    return mode == GroupMode.LAZY;
  }

  /** Of {@link SimulationTest}, which runs it. */
  String testMethod() {
    if (size == 1) {
      return "norAlone";
    }
    return quorumDisk
        ? "norBesideAQuorumDisk"
        : lossAccepted ? "norWhenAnOperatorAcceptsALoss" : "noScheduleBreaksAPromise";
  }
}
