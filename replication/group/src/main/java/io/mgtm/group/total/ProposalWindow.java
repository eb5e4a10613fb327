package io.mgtm.group.total;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;

/**
 * The proposals of this process that are not settled, and how far each has come: made, sent,
 * applied, settled, in the order of their numbers. Owner thread.
 *
 * <p>Invariant: {@code settled <= applied <= last}, {@code settled <= sent <= last}; those after
 * {@code settled} are kept.
 */
final class ProposalWindow {
  private final int proposalsMax;
  private final long bytesMax;
  private final Deque<ByteBuffer> kept = new ArrayDeque<>();

  /** The places of those in {@code (settled, applied]}. */
  private final Deque<Long> places = new ArrayDeque<>();

  private long last;
  private long sent;
  private long applied;
  private long settled;
  private long bytes;

  ProposalWindow(int proposalsMax, long bytesMax) {
    this.proposalsMax = proposalsMax;
    this.bytesMax = bytesMax;
  }

  boolean hasRoom(int more) {
    return kept.size() < proposalsMax && (kept.isEmpty() || bytes + more <= bytesMax);
  }

  boolean isEmpty() {
    return kept.isEmpty();
  }

  /** Keeps a proposal, which nobody changes any more; the answer is its number. */
  long add(ByteBuffer payload) {
    kept.addLast(payload);
    bytes += payload.remaining();
    return ++last;
  }

  long settledNumber() {
    return settled;
  }

  long appliedNumber() {
    return applied;
  }

  long lastNumber() {
    return last;
  }

  /** Whether one of this number was made, and was this one as far as that is still known. */
  boolean made(long number, ByteBuffer payload) {
    if (number <= settled || number > last) {
      return number <= settled;
    }
    Iterator<ByteBuffer> from = kept.iterator();
    for (long before = settled + 1; before < number; before++) {
      from.next();
    }
    return from.next().equals(payload);
  }

  /** Those that were made and not applied, oldest first. */
  List<ByteBuffer> unapplied() {
    return kept.stream().skip(applied - settled).toList();
  }

  /** The number before the first of {@link #takeUnsent}. */
  long sentNumber() {
    return sent;
  }

  /** At least one that is not sent, if there is one, then as many as fit; they count as sent. */
  List<ByteBuffer> takeUnsent(int batchBytesMax) {
    List<ByteBuffer> taken = new ArrayList<>();
    if (sent == last) {
      return taken;
    }
    long size = 0;
    Iterator<ByteBuffer> from = kept.iterator();
    for (long number = settled + 1; number <= last; number++) {
      ByteBuffer next = from.next();
      if (number <= sent) {
        continue;
      }
      size += next.remaining();
      if (!taken.isEmpty() && size > batchBytesMax) {
        break;
      }
      taken.add(next);
    }
    sent += taken.size();
    return taken;
  }

  /** From this number on they are to be sent again. */
  void rewind(long next) {
    sent = Math.max(settled, Math.min(sent, next - 1));
  }

  /**
   * One of them is applied as the entry of an index.
   *
   * @return false when it was settled before and is replayed
   */
  boolean applied(long number, long index) {
    if (number <= settled) {
      return false;
    }
    if (number != applied + 1 || number > last) {
      throw new IllegalStateException(
          "own proposal %d is applied after %d, and %d were made".formatted(number, applied, last));
    }
    applied = number;
    places.addLast(index);
    return true;
  }

  /** Entries up to an index are committed; the answer is whether that settles any. */
  boolean committed(long index) {
    long before = settled;
    while (!places.isEmpty() && places.peekFirst() <= index) {
      places.removeFirst();
      bytes -= kept.removeFirst().remaining();
      settled++;
    }
    sent = Math.max(sent, settled);
    return settled > before;
  }

  /**
   * The state was replaced by one that has this process' proposals up to a number.
   *
   * @return whether some of them were never applied here, so that nobody saw their places
   */
  boolean restored(long has) {
    long from = Math.max(has, settled);
    while (applied > from) {
      applied--;
      places.removeLast();
    }
    boolean skips = has > applied;
    while (applied < has) {
      applied++;
      places.addLast(0L);
    }
    return skips;
  }
}
