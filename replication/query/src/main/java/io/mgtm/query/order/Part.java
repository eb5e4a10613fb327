package io.mgtm.query.order;

import java.nio.ByteBuffer;

/**
 * One transaction of an entry.
 *
 * @param slot the number that its session has to itself
 * @param effects what a server that misses it is to do; null where they were too many to be kept
 */
public record Part(String database, int slot, ByteBuffer effects) {
  /** What an entry needs for it at the most. */
  public int bytes() {
    return Codec.bytes(database) + 2 * Integer.BYTES + (effects == null ? 0 : effects.remaining());
  }
}
