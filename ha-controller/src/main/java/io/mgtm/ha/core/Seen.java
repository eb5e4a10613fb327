package io.mgtm.ha.core;

/**
 * Which orders: those of a leader's term, from the state of a version.
 *
 * @param term of the leader
 * @param version of the {@link ClusterState}
 */
public record Seen(long term, long version) implements Comparable<Seen> {
  public static final Seen NOTHING = new Seen(0, 0);

  @Override
  public int compareTo(Seen other) {
    int byTerm = Long.compare(term, other.term);
    return byTerm != 0 ? byTerm : Long.compare(version, other.version);
  }
}
