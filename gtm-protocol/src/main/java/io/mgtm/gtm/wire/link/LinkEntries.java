package io.mgtm.gtm.wire.link;

import java.util.List;

/**
 * Entries of a leader's term in mode lazy, numbered as the state counts them: what a reply rests
 * on, for the gateway to keep and, at another leader, to present.
 *
 * <p>{@code term:i64 first:i64 stable:i64 count:u32}, then for each {@code length:i32} and its
 * bytes.
 *
 * @param first the number of the first one; the others follow
 * @param stable the entries up to this number need no longer be kept
 */
public record LinkEntries(long term, long first, long stable, List<byte[]> entries) {
  /** The number of the entry in which the leader began to serve the term. */
  public static final long FIRST_OF_TERM = 1;

  /** The least that an entry takes in a frame. */
  static final int ENTRY_BYTES_MIN = Integer.BYTES + 1;

  public LinkEntries {
    entries = List.copyOf(entries);
  }

  /** The number of the last one; below {@code first} when there is none. */
  public long last() {
    return first + entries.size() - 1;
  }
}
