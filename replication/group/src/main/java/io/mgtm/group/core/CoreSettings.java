package io.mgtm.group.core;

/**
 * The times and bounds of the decisions.
 *
 * @param heartbeatMs how often a leader that has nothing to send sends all the same
 * @param electionTimeoutMs how long nothing is heard of a leader before an election; also how long
 *     a leader goes on without a majority's answers
 * @param electionJitterMs the most that is added to it, different for each member and try
 * @param hintStaggerMs how long after another a member acts on a hint that the leader is gone
 * @param uncleanElectionWaitMs how long after a power cut of a majority the missing members are
 *     waited for before those who are there go on without what they may have lost; 0 for ever, or
 *     until an operator accepts it
 * @param standstillMs with {@link Agreement#CONNECTED}: a member that has not looked at the time
 *     for so long may have been taken for dead by the others. Well below what the failure detection
 *     waits for a silent member, less an interval of its heartbeats
 * @param helloMs how often a member that is not in the group says hello
 * @param batchBytesMax the most payload in one message, unless one entry alone is larger
 * @param inFlightMax how many messages with entries a member may owe answers for
 * @param checkpointPieceBytes the piece in which a checkpoint is sent
 * @param checkpointBytesMax the largest checkpoint accepted
 * @param thrifty whether a round goes to no more members than it needs; see {@link Rounds}
 */
public record CoreSettings(
    long heartbeatMs,
    long electionTimeoutMs,
    long electionJitterMs,
    long hintStaggerMs,
    long uncleanElectionWaitMs,
    long standstillMs,
    long helloMs,
    int batchBytesMax,
    int inFlightMax,
    int checkpointPieceBytes,
    int checkpointBytesMax,
    boolean thrifty) {

  /** Refuses what cannot work. */
  public CoreSettings {
    if (heartbeatMs < 1 || electionTimeoutMs < 3 * heartbeatMs) {
      throw new IllegalArgumentException(
          "heartbeatMs is %d and electionTimeoutMs %d; at least 1, and at least three heartbeats are allowed"
              .formatted(heartbeatMs, electionTimeoutMs));
    }
    if (electionJitterMs < 1
        || hintStaggerMs < 1
        || uncleanElectionWaitMs < 0
        || standstillMs < 1
        || helloMs < 1
        || batchBytesMax < 1
        || inFlightMax < 1
        || checkpointPieceBytes < 1
        || checkpointBytesMax < checkpointPieceBytes) {
      throw new IllegalArgumentException("a setting of the group is out of range: all are above 0");
    }
  }

  /**
   * How often a leader sends all the same whose group rests. Three come within an election timeout.
   */
  long restMs() {
    return Math.max(heartbeatMs, Math.min(2 * heartbeatMs, electionTimeoutMs / 3));
  }

  /**
   * How long a member that hears a leader lets no other lead, where leaders serve under a lease.
   */
  long promiseMs() {
    return electionTimeoutMs / 2;
  }

  /** How long a leader trusts in that, from when it has sent what was answered; clocks differ. */
  long leaseMs() {
    return promiseMs() * 4 / 5;
  }

  public static CoreSettings defaults() {
    return new CoreSettings(
        100, 700, 150, 30, 0, 750, 200, 1 << 20, 64, 256 << 10, Integer.MAX_VALUE - 1024, true);
  }

  /** Each round goes to all members: each of them waits for what it brings. */
  public CoreSettings withoutSpares() {
    return new CoreSettings(
        heartbeatMs,
        electionTimeoutMs,
        electionJitterMs,
        hintStaggerMs,
        uncleanElectionWaitMs,
        standstillMs,
        helloMs,
        batchBytesMax,
        inFlightMax,
        checkpointPieceBytes,
        checkpointBytesMax,
        false);
  }
}
