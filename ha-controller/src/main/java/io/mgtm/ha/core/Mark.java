package io.mgtm.ha.core;

/**
 * Orders what primaries say of copies of replicated data: a later mark takes an earlier one's
 * place, and never the other way round, however late a heartbeat is believed.
 *
 * @param epoch of the placement
 * @param incarnation of the controller on the primary's node
 * @param count of changes that this incarnation has seen, from 1
 */
public record Mark(long epoch, long incarnation, long count) implements Comparable<Mark> {

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
