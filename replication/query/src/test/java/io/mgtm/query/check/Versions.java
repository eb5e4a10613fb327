package io.mgtm.query.check;

import io.mgtm.query.check.Anomaly.Kind;
import io.mgtm.query.check.Transaction.Append;
import io.mgtm.query.check.Transaction.Outcome;
import io.mgtm.query.check.Transaction.Read;
import io.mgtm.query.check.Transaction.Step;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * In which order the elements of each list were appended and by whom, as the lists tell that were
 * read; and what is wrong with single lists.
 */
final class Versions {
  private final List<Transaction> transactions;
  private final Map<String, List<Integer>> finals;
  private final Map<Integer, Integer> writers = new HashMap<>();
  private final Map<Integer, String> keys = new HashMap<>();
  private final Map<String, List<Integer>> orders = new LinkedHashMap<>();
  private final boolean[] seen;
  private final List<Anomaly> anomalies = new ArrayList<>();

  Versions(List<Transaction> transactions, Map<String, List<Integer>> finals) {
    this.transactions = transactions;
    this.finals = finals;
    this.seen = new boolean[transactions.size()];
    findWriters();
    findSeen();
    findOrders();
    checkElements();
    checkLost();
    checkReads();
  }

  List<Anomaly> anomalies() {
    return anomalies;
  }

  /** The longest list of each key. */
  Map<String, List<Integer>> orders() {
    return orders;
  }

  /** The number of the transaction that has appended it, or null. */
  Integer writer(int element) {
    return writers.get(element);
  }

  /** Its client was told so, or somebody has seen it. */
  boolean isCommitted(int transaction) {
    Outcome outcome = transactions.get(transaction).outcome();
    return outcome == Outcome.COMMITTED || (outcome == Outcome.UNKNOWN && seen[transaction]);
  }

  private void found(Kind kind, String what) {
    anomalies.add(new Anomaly(kind, true, what));
  }

  private void findWriters() {
    for (int i = 0; i < transactions.size(); i++) {
      for (Step step : transactions.get(i).steps()) {
        if (step instanceof Append append) {
          if (writers.put(append.element(), i) != null) {
            throw new IllegalArgumentException("element " + append.element() + " is not unique");
          }
          keys.put(append.element(), append.key());
        }
      }
    }
  }

  /** Of those whose end is unknown. A transaction that sees one may itself be one. */
  private void findSeen() {
    finals.values().forEach(this::see);
    for (Transaction transaction : transactions) {
      if (transaction.outcome() == Outcome.COMMITTED) {
        seeAllOf(transaction);
      }
    }
  }

  private void see(List<Integer> list) {
    for (int element : list) {
      Integer writer = writers.get(element);
      if (writer != null && !seen[writer]) {
        seen[writer] = true;
        if (transactions.get(writer).outcome() == Outcome.UNKNOWN) {
          seeAllOf(transactions.get(writer));
        }
      }
    }
  }

  private void seeAllOf(Transaction transaction) {
    for (Step step : transaction.steps()) {
      if (step instanceof Read read) {
        see(read.list());
      }
    }
  }

  private void findOrders() {
    orders.putAll(finals);
    forEachRead((transaction, read) -> orders.merge(read.key(), read.list(), Versions::longerOf));
  }

  private static List<Integer> longerOf(List<Integer> one, List<Integer> other) {
    return other.size() > one.size() ? other : one;
  }

  private interface Reader {
    void read(int transaction, Read read);
  }

  /** Those of transactions that were committed. */
  private void forEachRead(Reader reader) {
    for (int i = 0; i < transactions.size(); i++) {
      if (isCommitted(i)) {
        for (Step step : transactions.get(i).steps()) {
          if (step instanceof Read read) {
            reader.read(i, read);
          }
        }
      }
    }
  }

  private void checkElements() {
    orders.forEach(
        (key, order) -> {
          Set<Integer> once = new HashSet<>();
          for (int element : order) {
            if (!once.add(element)) {
              found(
                  Kind.DUPLICATE_APPEND,
                  "%d is in list %s twice: %s".formatted(element, key, order));
            }
          }
          checkWriters(key, order);
        });
  }

  private void checkWriters(String key, List<Integer> list) {
    for (int element : list) {
      Integer writer = writers.get(element);
      if (writer == null || !key.equals(keys.get(element))) {
        found(Kind.UNKNOWN_ELEMENT, "%d is in list %s: %s".formatted(element, key, list));
      } else if (!isCommitted(writer)) {
        found(
            Kind.G1A,
            "%d of T%d, which was undone, is in list %s: %s".formatted(element, writer, key, list));
      }
    }
  }

  private void checkLost() {
    Map<String, Set<Integer>> there = new HashMap<>();
    finals.forEach((key, list) -> there.put(key, new HashSet<>(list)));
    writers.forEach(
        (element, writer) -> {
          Set<Integer> list = there.get(keys.get(element));
          if (list != null && isCommitted(writer) && !list.contains(element)) {
            found(
                Kind.LOST_APPEND,
                "%d of T%d (%s) is not in list %s in the end: %s"
                    .formatted(
                        element,
                        writer,
                        transactions.get(writer).outcome(),
                        keys.get(element),
                        finals.get(keys.get(element))));
          }
        });
  }

  private void checkReads() {
    forEachRead(
        (transaction, read) -> {
          List<Integer> order = orders.get(read.key());
          int length = read.list().size();
          if (length > order.size() || !order.subList(0, length).equals(read.list())) {
            found(
                Kind.INCOMPATIBLE_ORDER,
                "T%d read %s, and another one %s, of list %s"
                    .formatted(transaction, read.list(), order, read.key()));
            checkWriters(read.key(), read.list());
          } else if (length > 0) {
            checkIntermediate(transaction, read);
          }
        });
  }

  private void checkIntermediate(int transaction, Read read) {
    int last = read.list().get(read.list().size() - 1);
    Integer writer = writers.get(last);
    if (writer == null || writer == transaction) {
      return;
    }
    boolean after = false;
    for (Step step : transactions.get(writer).steps()) {
      if (step instanceof Append append && append.key().equals(read.key())) {
        if (after) {
          found(
              Kind.G1B,
              "T%d read list %s amid T%d, before its %d: %s"
                  .formatted(transaction, read.key(), writer, append.element(), read.list()));
          return;
        }
        after = append.element() == last;
      }
    }
  }
}
