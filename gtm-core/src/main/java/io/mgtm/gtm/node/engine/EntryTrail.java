package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkWriter;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The entries of a leader of mode lazy that are not stable yet, and which of them each gateway has:
 * a reply leaves together with those that it rests on. Owner thread.
 *
 * <p>Invariant: the numbers, as the state counts the term's entries, have no gap.
 */
final class EntryTrail {
  private static final int CAPACITY_FIRST = 64;
  private static final int FRAME_BYTES = 1 << 20;

  /** Past this, replies wait until their entries are stable. */
  private static final long BYTES_MAX = 16 << 20;

  private final Map<GatewayPeer, Long> given = new HashMap<>();
  private byte[][] entries = new byte[CAPACITY_FIRST][];
  private long[] indexes = new long[CAPACITY_FIRST];
  private long term;

  /** The number of the oldest one here. */
  private long first = 1;

  /** The number of the newest one. */
  private long last;

  private long bytes;

  private int slot(long number) {
    return (int) (number & (entries.length - 1));
  }

  /** No term is served: what is appended is given to nobody. */
  void end() {
    begin(0);
  }

  /** A term begins: nothing was given to anybody. */
  void begin(long ofTerm) {
    term = ofTerm;
    given.clear();
    Arrays.fill(entries, null);
    first = 1;
    last = 0;
    bytes = 0;
  }

  /**
   * An entry was appended.
   *
   * @param index its place in the log
   * @param number its number in the term
   * @param entry from position to limit; copied
   */
  void appended(long index, long number, ByteBuffer entry) {
    if (term == 0) {
      return;
    }
    if (number != last + 1) {
      throw new IllegalStateException("entry " + number + " of the term comes after " + last);
    }
    if (last - first + 1 == entries.length) {
      grow();
    }
    byte[] copy = new byte[entry.remaining()];
    entry.get(entry.position(), copy);
    last = number;
    entries[slot(number)] = copy;
    indexes[slot(number)] = index;
    bytes += copy.length;
  }

  private void grow() {
    byte[][] oldEntries = entries;
    long[] oldIndexes = indexes;
    entries = new byte[2 * oldEntries.length][];
    indexes = new long[2 * oldEntries.length];
    for (long n = first; n <= last; n++) {
      entries[slot(n)] = oldEntries[(int) (n & (oldEntries.length - 1))];
      indexes[slot(n)] = oldIndexes[(int) (n & (oldEntries.length - 1))];
    }
  }

  /** What stands in the log up to an index cannot be lost any more. */
  void stable(long index) {
    while (first <= last && indexes[slot(first)] <= index) {
      bytes -= entries[slot(first)].length;
      entries[slot(first)] = null;
      first++;
    }
  }

  /** Whether so much is not stable that replies wait. */
  boolean isTooLong() {
    return bytes > BYTES_MAX;
  }

  /** A link has ended. */
  void forget(GatewayPeer peer) {
    given.remove(peer);
  }

  /**
   * Writes what a link has not been given of the entries up to an index of the log.
   *
   * @param out nothing is written when the gateway needs none
   */
  void write(GatewayPeer peer, long index, ByteBuf out) {
    long number = Math.max(first, given.getOrDefault(peer, 0L) + 1);
    List<byte[]> frame = new ArrayList<>();
    long begun = number;
    long size = 0;
    while (number <= last && indexes[slot(number)] <= index) {
      byte[] entry = entries[slot(number)];
      if (size + entry.length > FRAME_BYTES && !frame.isEmpty()) {
        LinkWriter.entries(out, new LinkEntries(term, begun, first - 1, frame));
        frame.clear();
        begun = number;
        size = 0;
      }
      frame.add(entry);
      size += entry.length + Integer.BYTES;
      number++;
    }
    if (!frame.isEmpty()) {
      LinkWriter.entries(out, new LinkEntries(term, begun, first - 1, frame));
      given.put(peer, number - 1);
    }
  }
}
