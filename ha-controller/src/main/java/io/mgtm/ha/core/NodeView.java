package io.mgtm.ha.core;

import java.util.Map;
import java.util.Set;

/**
 * What the leader knows of a node at a moment.
 *
 * @param silentMs since when the node has not shown that it hears and is heard; counts from when
 *     this leader was able to answer
 * @param contactMs for how long the contact has lasted without a silence, 0 when there is none
 * @param last its last heartbeat, null when none ever came
 * @param over hierarchies that it surely has no lease on any more and that its watchdog has ended
 * @param fenced by hierarchy, how a fence agent has switched off the node that had it, where that
 *     makes sure that it is out
 * @param paths milliseconds since it was heard, by path
 */
public record NodeView(
    long silentMs,
    long contactMs,
    Heartbeat last,
    Set<String> over,
    Map<String, String> fenced,
    Map<String, Long> paths) {

  /** What it last said of a hierarchy, null when it never did. */
  Report report(String hierarchy) {
    return last == null ? null : last.reports().get(hierarchy);
  }

  /** What people are told of its paths. */
  String heard() {
    StringBuilder text = new StringBuilder();
    paths.forEach(
        (path, ms) ->
            text.append(text.isEmpty() ? "heard " : ", ")
                .append(ms)
                .append(" ms ago on path ")
                .append(path));
    return text.isEmpty() ? "never heard" : text.toString();
  }
}
