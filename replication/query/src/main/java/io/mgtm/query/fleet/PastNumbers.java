package io.mgtm.query.fleet;

import io.mgtm.group.member.PastEntries;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.OrderState;
import io.mgtm.query.order.Position;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;

/** Finds entries that the log has still by their numbers. Belongs to the owner of the log. */
final class PastNumbers {
  private final PastEntries past;
  private final long end;

  /**
   * Of entries up to an index.
   *
   * @param end the last that is committed
   */
  PastNumbers(PastEntries past, long end) {
    this.past = past;
    this.end = end;
  }

  /** The lowest number, or nothing when there is none. */
  OptionalLong firstNumber() {
    long[] first = at(past.firstIndex(), end);
    return first == null ? OptionalLong.empty() : OptionalLong.of(first[1]);
  }

  /** The lowest index of which the number is higher. */
  long indexAbove(long number) {
    long low = past.firstIndex();
    long high = end + 1;
    while (low < high) {
      long middle = (low + high) >>> 1;
      long[] at = at(middle, high - 1);
      if (at == null || at[1] > number) {
        high = middle;
      } else {
        low = at[0] + 1;
      }
    }
    return low;
  }

  /**
   * Entries above a number, up to another, until they have so many bytes.
   *
   * @param dropped goes with them
   */
  CommitLog.Past read(long above, long last, int bytesMax, Map<Long, List<Integer>> dropped) {
    List<Entry> entries = new ArrayList<>();
    long[] next = {above};
    long from = indexAbove(above);
    if (from <= end && above < last) {
      past.read(
          from,
          end,
          bytesMax,
          (index, payload) -> {
            if (Entry.numberOf(payload) <= last) {
              next[0] = Entry.numberOf(payload);
              entries.add(Entry.decoded(payload));
            }
          });
    }
    return new CommitLog.Past(entries, next[0], dropped);
  }

  /**
   * Whether a fence at a server is of a replicator with this log, and the last transaction that it
   * has is one of this log, as far as it reaches; what lies before its mark is there, or was
   * compared.
   */
  boolean isOf(OrderState state, String database, Position has) {
    long fence = has.highestFence();
    long number = has.highestEntry();
    return (fence == 0 || state.mayHaveFenced(fence))
        && (number <= has.settled() || (number <= state.lastCommits() && mayHave(database, has)));
  }

  /** Whether the highest entry that a server has is here, or would lie before the first. */
  boolean mayHave(String database, Position has) {
    long number = has.highestEntry();
    OptionalLong first = firstNumber();
    if (first.isEmpty() || number < first.getAsLong()) {
      return true;
    }
    AtomicBoolean found = new AtomicBoolean();
    long index = indexAbove(number - 1);
    if (index <= end) {
      past.read(
          index, index, 1, (at, payload) -> found.set(isOf(Entry.decoded(payload), database, has)));
    }
    return found.get();
  }

  private static boolean isOf(Entry entry, String database, Position has) {
    return entry instanceof Entry.Commits commits
        && commits.number() == has.highestEntry()
        && commits.parts().stream()
            .anyMatch(
                part ->
                    part.database().equals(database) && has.of(part.slot()) == commits.number());
  }

  /** Index and number of the first entry that means something, from an index on; or null. */
  private long[] at(long from, long to) {
    for (long index = from; index <= to; index++) {
      long[] found = new long[2];
      past.read(
          index,
          index,
          1,
          (at, payload) -> {
            found[0] = at;
            found[1] = Entry.numberOf(payload);
          });
      if (found[0] > 0) {
        return found;
      }
    }
    return null;
  }
}
