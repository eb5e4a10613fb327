package io.mgtm.query.check;

import io.mgtm.query.check.Transaction.Read;
import io.mgtm.query.check.Transaction.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/** Which transaction comes after which other one, by what was written and read. */
final class Dependencies {
  /** Why one comes after the other. */
  enum Why {
    /** It has appended to the other's list. */
    WW,
    /** It has read the other's append. */
    WR,
    /** It has appended to what the other has read. */
    RW
  }

  /**
   * One comes after another.
   *
   * @param firm false of what was read where the level promises no snapshot
   */
  record Edge(int from, int to, Why why, boolean firm, String key) {
    boolean isRw() {
      return why == Why.RW;
    }

    @Override
    public String toString() {
      return "T%d -%s %s-> T%d".formatted(from, why.toString().toLowerCase(Locale.ROOT), key, to);
    }
  }

  private final List<List<Edge>> edges = new ArrayList<>();
  private final Set<Edge> all = new HashSet<>();

  Dependencies(List<Transaction> transactions, Versions versions) {
    transactions.forEach(transaction -> edges.add(new ArrayList<>()));
    Map<String, Map<Integer, Integer>> places = new HashMap<>();
    versions
        .orders()
        .forEach(
            (key, order) -> {
              Map<Integer, Integer> place = new HashMap<>();
              for (int i = 0; i < order.size(); i++) {
                place.put(order.get(i), i);
                if (i > 0) {
                  add(
                      versions.writer(order.get(i - 1)),
                      versions.writer(order.get(i)),
                      Why.WW,
                      true,
                      key);
                }
              }
              places.put(key, place);
            });
    for (int i = 0; i < transactions.size(); i++) {
      if (versions.isCommitted(i)) {
        for (Step step : transactions.get(i).steps()) {
          if (step instanceof Read read) {
            addRead(i, read, transactions.get(i).hasOneSnapshot(), versions, places);
          }
        }
      }
    }
    all.clear();
  }

  private void addRead(
      int reader,
      Read read,
      boolean firm,
      Versions versions,
      Map<String, Map<Integer, Integer>> places) {
    List<Integer> order = versions.orders().get(read.key());
    int next = 0;
    if (!read.list().isEmpty()) {
      int last = read.list().get(read.list().size() - 1);
      add(versions.writer(last), reader, Why.WR, true, read.key());
      next = places.get(read.key()).getOrDefault(last, order.size()) + 1;
    }
    if (next < order.size()) {
      add(reader, versions.writer(order.get(next)), Why.RW, firm, read.key());
    }
  }

  private void add(Integer from, Integer to, Why why, boolean firm, String key) {
    if (from != null && to != null && !from.equals(to)) {
      Edge edge = new Edge(from, to, why, firm, key);
      if (all.add(edge)) {
        edges.get(from).add(edge);
      }
    }
  }

  int size() {
    return edges.size();
  }

  List<Edge> from(int node) {
    return edges.get(node);
  }

  /** Components in which cycles of some edges are, between some nodes. */
  List<List<Integer>> cyclic(Predicate<Edge> some, IntPredicate nodes) {
    List<int[]> successors = new ArrayList<>();
    for (int node = 0; node < size(); node++) {
      successors.add(
          nodes.test(node)
              ? edges.get(node).stream()
                  .filter(some)
                  .mapToInt(Edge::to)
                  .filter(nodes)
                  .distinct()
                  .toArray()
              : new int[0]);
    }
    return Components.cyclic(successors);
  }

  /** Those of some edges that stay within a component. */
  List<Edge> within(Set<Integer> nodes, Predicate<Edge> some) {
    return nodes.stream()
        .flatMap(node -> edges.get(node).stream())
        .filter(some)
        .filter(edge -> nodes.contains(edge.to()))
        .toList();
  }

  /**
   * A shortest cycle that begins with an edge and goes on by others, or an empty list.
   *
   * @param inARow whether one RW may follow another
   */
  List<Edge> cycle(Edge first, Set<Integer> nodes, Predicate<Edge> others, boolean inARow) {
    // Each node is there twice: reached by RW, or otherwise.
    Map<Integer, Edge> by = new HashMap<>();
    Map<Integer, Integer> before = new HashMap<>();
    Deque<Integer> waiting = new ArrayDeque<>(List.of(state(first)));
    while (!waiting.isEmpty()) {
      int state = waiting.poll();
      if (state / 2 == first.from() && (inARow || state % 2 == 0 || !first.isRw())) {
        return path(first, state, by, before);
      }
      for (Edge edge : edges.get(state / 2)) {
        int next = state(edge);
        if (others.test(edge)
            && nodes.contains(edge.to())
            && (inARow || state % 2 == 0 || !edge.isRw())
            && next != state(first)
            && by.putIfAbsent(next, edge) == null) {
          before.put(next, state);
          waiting.add(next);
        }
      }
    }
    return List.of();
  }

  private static int state(Edge edge) {
    return 2 * edge.to() + (edge.isRw() ? 1 : 0);
  }

  private static List<Edge> path(
      Edge first, int last, Map<Integer, Edge> by, Map<Integer, Integer> before) {
    Deque<Edge> path = new ArrayDeque<>();
    for (int state = last; state != state(first); state = before.get(state)) {
      path.addFirst(by.get(state));
    }
    path.addFirst(first);
    return List.copyOf(path);
  }
}
