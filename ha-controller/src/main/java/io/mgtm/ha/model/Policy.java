package io.mgtm.ha.model;

/**
 * What is done by itself when something fails.
 *
 * @param localRecoveries how often a resource is repaired in place within {@code
 *     localRecoveryWindowMs} before the hierarchy fails over
 * @param localRecoveryWindowMs also the longest for which a node where it failed is left out
 * @param failover within a site
 * @param failoverBetweenSites {@code MANUAL_FIRST}: an operator is waited for, so long as {@code
 *     betweenSitesWaitMs} says, before it is done by itself
 * @param failback whether it goes back to a preferred node that has returned and is in step
 * @param failoversMax how often it may fail over within {@code failoversWindowMs} before it stays
 *     out of service and asks for an operator
 */
public record Policy(
    int localRecoveries,
    long localRecoveryWindowMs,
    Failover failover,
    Failover failoverBetweenSites,
    long betweenSitesWaitMs,
    Failback failback,
    int failoversMax,
    long failoversWindowMs) {

  /** Who moves a hierarchy whose node has failed. */
  public enum Failover {
    AUTOMATIC,
    MANUAL_FIRST,
    MANUAL
  }

  /** Whether a hierarchy returns to the node that is preferred. */
  public enum Failback {
    NEVER,
    WHEN_IN_STEP
  }

  public static Policy defaults() {
    return new Policy(
        3,
        600_000,
        Failover.AUTOMATIC,
        Failover.MANUAL_FIRST,
        600_000,
        Failback.NEVER,
        3,
        3_600_000);
  }
}
