package io.mgtm.rdma;

import java.util.List;

/**
 * How large a connection is. Immutable.
 *
 * @param sends how many sends and writes can be in flight, from 1 to {@link #DEPTH_MAX}
 * @param receives how many receives can be posted, from 1 to {@link #DEPTH_MAX}
 * @param pools whose buffers may be used, all of the connection's domain; 1 to 64
 */
public record RdmaOptions(int sends, int receives, List<RegisteredPool> pools) {

  /** The most sends, and the most receives. */
  public static final int DEPTH_MAX = 4096;

  /** Refuses what is out of range. */
  public RdmaOptions {
    if (sends < 1 || sends > DEPTH_MAX || receives < 1 || receives > DEPTH_MAX) {
      throw new IllegalArgumentException(
          "sends and receives must be from 1 to " + DEPTH_MAX + ", not " + sends + ", " + receives);
    }
    pools = List.copyOf(pools);
    if (pools.isEmpty() || pools.size() > 64) {
      throw new IllegalArgumentException("a connection has 1 to 64 pools, not " + pools.size());
    }
  }
}
