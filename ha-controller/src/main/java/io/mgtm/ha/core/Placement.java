package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;

/**
 * Where a hierarchy may be in service, and what is wanted of it.
 *
 * @param stage how far it is
 * @param node the node that may have it in service; empty in stage OUT
 * @param last the node that was the last to have it; empty before any had
 * @param epoch grows with each node that it is placed on
 * @param changed the state's version when stage, node or epoch changed last
 * @param wanted false: an operator has stopped it
 * @param toward the node it is on its way to, empty when that is to be chosen
 * @param acceptLoss the node whose copy may be used though it lacks acknowledged writes; empty
 *     usually
 * @param halted why it stays out until an operator starts it; empty when it does not
 * @param waiting why it is out though it is wanted; empty when it is not
 * @param pending the failover that waits for an operator; null when none does
 * @param repaired the last repair in place that was recorded; null before any
 * @param failovers cluster times of failovers that were not an operator's
 * @param failures by node, why it could not be in service there
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record Placement(
    Stage stage,
    String node,
    String last,
    long epoch,
    long changed,
    boolean wanted,
    String toward,
    String acceptLoss,
    String halted,
    String waiting,
    Pending pending,
    Mark repaired,
    List<Long> failovers,
    Map<String, Failure> failures) {

  static final Placement NEW =
      new Placement(Stage.OUT, "", "", 0, 0, true, "", "", "", "", null, null, List.of(), Map.of());

  /** Whether a failover is not decided on before an operator has said something. */
  public boolean waitsForOperator() {
    return pending != null && pending.answer() == Answer.NONE;
  }

  /** How far a placement is. */
  public enum Stage {
    /** No node may have it in service. */
    OUT,
    /** The node has it in service, or is bringing it. */
    HELD,
    /** The node takes it out in order, still under its lease. */
    LEAVING,
    /** The node gets no lease on it any more, and is waited for until its last one is over. */
    REVOKED
  }

  /**
   * A failover that waits for an operator.
   *
   * @param deadline cluster time when it is done without one; {@link Long#MAX_VALUE} for never
   */
  public record Pending(String toward, long since, long deadline, Answer answer) {}

  /** What an operator has said to a pending failover. */
  public enum Answer {
    NONE,
    CONFIRMED,
    CANCELLED
  }

  /**
   * Why a node could not have it in service. The node is left out for a while, since what has
   * failed for a passing reason may be well soon, and longer each time that it fails there again.
   *
   * @param at cluster time
   * @param again how often it had failed there before, never long after the node was left out
   * @param served whether it had been in service there
   */
  public record Failure(
      long at,
      long epoch,
      String resource,
      String detail,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) int again,
      @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean served) {
    private static final long FIRST_MS = 5_000;
    private static final int DOUBLINGS_MAX = 30;

    /**
     * For how long the node is left out.
     *
     * @param windowMs the policy's, and the most
     */
    long leftOutMs(long windowMs) {
      return Math.min(windowMs, FIRST_MS << Math.min(again, DOUBLINGS_MAX));
    }

    /** Whether another failure there would be the first again. */
    boolean isForgotten(long now, long windowMs) {
      return now - at >= leftOutMs(windowMs) + windowMs;
    }
  }
}
