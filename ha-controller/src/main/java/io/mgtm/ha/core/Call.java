package io.mgtm.ha.core;

import java.util.Map;

/**
 * A call of a kit.
 *
 * @param id of this incarnation, from 1
 * @param resource empty for {@link Kind#END}
 * @param deadline on the node's monotonic clock; the runner ends it by then, or a check that had to
 *     wait for its turn as much later
 * @param told what the cluster's state says, as more parameters of the kit: {@link
 *     CopyReport#NOTED}, {@link CopyReport#LOOKS}, {@link CopyReport#VOUCHED}, {@link
 *     CopyReport#ACCEPT_LOSS}
 */
public record Call(
    long id,
    String hierarchy,
    String resource,
    Kind kind,
    long deadline,
    Map<String, String> told) {

  /** Which call. */
  public enum Kind {
    IN_SERVICE,
    OUT_OF_SERVICE,
    QUICK_CHECK,
    DEEP_CHECK,
    RECOVER,
    /**
     * The watchdog does the guard steps of all resources of the hierarchy now, and the runner ends
     * its other calls, those that have not begun as well; it ends when all that is done.
     */
    END
  }

  /**
   * How a call ended.
   *
   * @param state what a check has found, IN after a successful {@code IN_SERVICE} or {@code
   *     RECOVER}, OUT after {@code OUT_OF_SERVICE} or {@code END}; FAILED when it threw, or was cut
   *     short
   * @param detail a sentence for people
   * @param data what {@code Kit.data} said after the call, of whatever kind but END; of a kit with
   *     replicated data with {@code copy} being {@code Unknown} when it could not say
   */
  public record Result(Report.ResourceState state, String detail, Map<String, String> data) {}
}
