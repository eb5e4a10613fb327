package io.mgtm.group.core;

import java.nio.ByteBuffer;

/**
 * What a leader's first entry says.
 *
 * <pre>
 * | entries may be missing:u8 | {@link Membership} |
 * </pre>
 *
 * @param entriesMayBeMissing whether acknowledged entries that were not synced may be missing
 *     before it
 * @param membership the membership as the leader knows it
 */
public record TermStart(boolean entriesMayBeMissing, Membership membership) {

  ByteBuffer encoded() {
    byte[] members = membership.encoded();
    return ByteBuffer.allocate(1 + members.length)
        .put((byte) (entriesMayBeMissing ? 1 : 0))
        .put(members)
        .flip();
  }

  /** Reads it; the position moves behind it. */
  public static TermStart decode(ByteBuffer from) {
    return new TermStart(from.get() != 0, Membership.decode(from));
  }
}
