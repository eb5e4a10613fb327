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
 * @param queryLeaseMs with {@link Agreement#MAJORITY}: how long a member that has answered a leader
 *     lets no other lead, so that this one answers reads meanwhile without asking; 0 for not at all
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
    boolean thrifty,
    long queryLeaseMs) {

  /** What is shorter is over before the next question comes. */
  public static final long QUERY_LEASE_MIN_MS = 20;

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
    long longestMs = electionTimeoutMs / 2;
    if (queryLeaseMs != 0 && (queryLeaseMs < QUERY_LEASE_MIN_MS || queryLeaseMs > longestMs)) {
      throw new IllegalArgumentException(
          "queryLeaseMs is %d; 0, or %d to %d is allowed"
              .formatted(queryLeaseMs, QUERY_LEASE_MIN_MS, longestMs));
    }
  }

  /**
   * How often a leader sends all the same whose group rests. Three come within an election timeout.
   */
  long restMs() {
    return Math.max(heartbeatMs, Math.min(2 * heartbeatMs, electionTimeoutMs / 3));
  }

  /** The longest that a member lets no other lead than the one that it hears. */
  long promiseMaxMs() {
    return electionTimeoutMs / 2;
  }

  /** The same, as far as this member is to promise it. */
  long promiseMs(Agreement agreement) {
    return agreement == Agreement.MAJORITY ? queryLeaseMs : promiseMaxMs();
  }

  /** How long a leader trusts in that, from when it has sent what was answered; clocks differ. */
  long leaseMs(Agreement agreement) {
    return promiseMs(agreement) * 4 / 5;
  }

  /** How long a machine may be suspended, its monotonic clock with it, and not be noticed. */
  public long suspensionMs() {
    return queryLeaseMs == 0 ? standstillMs : Math.min(standstillMs, queryLeaseMs / 10);
  }

  public static CoreSettings defaults() {
    return new CoreSettings(
        100, 700, 150, 30, 0, 750, 200, 1 << 20, 64, 256 << 10, Integer.MAX_VALUE - 1024, true, 0);
  }

  /** Each round goes to all members, and each read begins one: members wait for what it brings. */
  public CoreSettings withoutSpares() {
    return with(false, 0);
  }

  /** See {@link #queryLeaseMs}. */
  public CoreSettings withQueryLeaseMs(long ms) {
    return with(thrifty, ms);
  }

  private CoreSettings with(boolean spares, long leaseMs) {
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
        spares,
        leaseMs);
  }
}
