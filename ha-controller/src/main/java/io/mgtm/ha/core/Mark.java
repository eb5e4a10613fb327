package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;

/**
 * Orders what primaries say of copies of replicated data: a later mark takes an earlier one's
 * place, and never the other way round, however late a heartbeat is believed.
 *
 * @param epoch of the placement
 * @param incarnation of the controller on the primary's node
 * @param count of changes that this incarnation has seen, from 1
 * @param joins the last version of the configuration that the controller knew by then and that has
 *     put a node in the hierarchy, 0 for none: it says nothing of nodes that were put in later
 */
public record Mark(
    long epoch,
    long incarnation,
    long count,
    @JsonInclude(JsonInclude.Include.NON_DEFAULT) long joins)
    implements Comparable<Mark> {

  /** Where no node was put in since the cluster began. */
  public Mark(long epoch, long incarnation, long count) {
    this(epoch, incarnation, count, 0);
  }

  @Override
  public int compareTo(Mark other) {
    int byEpoch = Long.compare(epoch, other.epoch);
    if (byEpoch != 0) {
      return byEpoch;
    }
    int byIncarnation = Long.compare(incarnation, other.incarnation);
    return byIncarnation != 0 ? byIncarnation : Long.compare(count, other.count);
  }
}
