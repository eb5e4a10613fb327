package io.mgtm.query.check;

import io.mgtm.query.check.Anomaly.Kind;
import io.mgtm.query.check.Transaction.Append;
import io.mgtm.query.check.Transaction.Isolation;
import io.mgtm.query.check.Transaction.Outcome;
import io.mgtm.query.check.Transaction.Read;
import io.mgtm.query.check.Transaction.Step;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What transactions must see because it was theirs, or acknowledged before they asked. The time
 * that it takes grows a little faster than the history does.
 */
final class Moments {
  private final List<Transaction> transactions;
  private final Versions versions;
  private final List<Anomaly> anomalies = new ArrayList<>();

  Moments(List<Transaction> transactions, Versions versions) {
    this.transactions = transactions;
    this.versions = versions;
    Map<String, NavigableMap<Long, Integer>> lengths = new HashMap<>();
    Map<Integer, Long> began = new HashMap<>();
    for (Transaction transaction : transactions) {
      for (Step step : transaction.steps()) {
        if (step instanceof Append append) {
          began.put(append.element(), append.began());
        }
      }
    }
    Map<String, NavigableMap<Long, Integer>> seen = seen();
    versions.orders().forEach((key, order) -> lengths.put(key, acknowledged(key, order, began)));
    for (int i = 0; i < transactions.size(); i++) {
      if (versions.isCommitted(i)) {
        checkOwn(i);
        checkLengths(i, lengths, "were acknowledged");
        if (!transactions.get(i).far()) {
          checkLengths(i, seen, "were seen by others");
        }
      }
    }
  }

  List<Anomaly> anomalies() {
    return anomalies;
  }

  private void found(Kind kind, String what) {
    anomalies.add(new Anomaly(kind, true, what));
  }

  /** How long a list is at least from which moment on; and whether appends are in its order. */
  private NavigableMap<Long, Integer> acknowledged(
      String key, List<Integer> order, Map<Integer, Long> began) {
    TreeMap<Long, Integer> lengthByEnd = new TreeMap<>();
    long earliest = Long.MAX_VALUE;
    for (int i = order.size() - 1; i >= 0; i--) {
      Integer writer = versions.writer(order.get(i));
      if (writer == null) {
        continue;
      }
      if (earliest < began.get(order.get(i))) {
        found(
            Kind.LATE_APPEND,
            "%d of T%d was appended to list %s before one that was acknowledged earlier: %s"
                .formatted(order.get(i), writer, key, order));
      }
      Transaction transaction = transactions.get(writer);
      if (transaction.outcome() == Outcome.COMMITTED && transaction.ended() < earliest) {
        // What stands further behind was acknowledged later, or it would be an earlier entry.
        earliest = transaction.ended();
        lengthByEnd.put(earliest, i + 1);
      }
    }
    return lengthByEnd;
  }

  /** How long a list was seen at one server from which moment on, by who has ended then. */
  private Map<String, NavigableMap<Long, Integer>> seen() {
    Map<String, NavigableMap<Long, Integer>> seen = new HashMap<>();
    List<Transaction> near =
        IntStream.range(0, transactions.size())
            .filter(versions::isCommitted)
            .mapToObj(transactions::get)
            .filter(one -> one.outcome() == Outcome.COMMITTED && !one.far())
            .sorted(Comparator.comparingLong(Transaction::ended))
            .toList();
    for (Transaction transaction : near) {
      for (Step step : transaction.steps()) {
        if (step instanceof Read read) {
          NavigableMap<Long, Integer> lengths =
              seen.computeIfAbsent(read.key(), key -> new TreeMap<>());
          int longest = lengths.isEmpty() ? 0 : lengths.lastEntry().getValue();
          lengths.put(transaction.ended(), Math.max(longest, read.list().size()));
        }
      }
    }
    return seen;
  }

  /**
   * Looks that no list is shorter than it was known to be when its snapshot may first have been
   * taken.
   *
   * @param lengths at least, from which moment on, by key
   * @param known what is said of that
   */
  private void checkLengths(
      int number, Map<String, NavigableMap<Long, Integer>> lengths, String known) {
    Transaction transaction = transactions.get(number);
    for (Step step : transaction.steps()) {
      if (step instanceof Read read && lengths.containsKey(read.key())) {
        var least = lengths.get(read.key()).lowerEntry(transaction.snapshotBegan(read));
        if (least != null && read.list().size() < least.getValue()) {
          found(
              Kind.STALE_READ,
              "T%d read %s of list %s, of which %d elements %s before: %s"
                  .formatted(
                      number,
                      read.list(),
                      read.key(),
                      least.getValue(),
                      known,
                      versions.orders().get(read.key())));
        }
      }
    }
  }

  /** A list ends with what the transaction has appended to it, which keeps others from it. */
  private void checkOwn(int number) {
    Map<String, List<Integer>> own = new HashMap<>();
    Map<String, List<Integer>> others = new HashMap<>();
    Transaction transaction = transactions.get(number);
    for (Step step : transaction.steps()) {
      List<Integer> mine = own.computeIfAbsent(step.key(), key -> new ArrayList<>());
      if (step instanceof Append append) {
        mine.add(append.element());
      } else if (step instanceof Read read) {
        List<Integer> list = read.list();
        int theirs = Math.max(0, list.size() - mine.size());
        List<Integer> before = list.subList(0, theirs);
        boolean right =
            list.subList(theirs, list.size()).equals(mine)
                && before.stream().noneMatch(element -> isOf(number, element));
        if (transaction.isolation() != Isolation.READ_COMMITTED) {
          List<Integer> earlier = others.putIfAbsent(read.key(), before);
          right &= earlier == null || earlier.equals(before);
        }
        if (!right) {
          found(Kind.INTERNAL, "T%d read %s: %s".formatted(number, list, transaction));
        }
      }
    }
  }

  private boolean isOf(int number, int element) {
    Integer writer = versions.writer(element);
    return writer != null && writer == number;
  }
}
