package io.mgtm.query.check;

import io.mgtm.query.check.Anomaly.Kind;
import io.mgtm.query.check.Dependencies.Edge;
import io.mgtm.query.check.Dependencies.Why;
import io.mgtm.query.check.Transaction.Isolation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * Finds what is wrong with a history of transactions that append to lists and read them, as Elle
 * does: lists tell in which order they were written. It forbids what docs/query.md promises not to
 * happen:
 *
 * <ul>
 *   <li>appends that are lost, done twice, undone and seen, seen by half or too late;
 *   <li>G0 and G1 to all transactions;
 *   <li>G-single where a read was made by a snapshot of the whole transaction, and other cycles
 *       without two reads in a row that were overtaken, where all of it ran at one server: a cycle
 *       is proof that no order of commits and snapshots explains it (A. Cerone, A. Gotsman,
 *       Analysing Snapshot Isolation, 2016).
 *   <li>every cycle of transactions that are all SERIALIZABLE.
 * </ul>
 *
 * <p>Other G2, and G-single of READ COMMITTED, are found too, and permitted. Of each component of
 * the graph one cycle is told. Where there is nothing, the time grows with the history's length.
 */
public final class ListAppendChecker {
  /** Of what is permitted it is not asked long which kind it is. */
  private static final int TRIES_MAX = 50;

  private final List<Transaction> transactions;
  private final Dependencies graph;
  private final List<Anomaly> anomalies = new ArrayList<>();
  private final Set<Integer> told = new HashSet<>();

  private ListAppendChecker(List<Transaction> transactions, Versions versions) {
    this.transactions = transactions;
    this.graph = new Dependencies(transactions, versions);
  }

  /**
   * Everything that is found.
   *
   * @param transactions of all clients, in any order
   * @param finals each list that is known after all of them
   * @throws IllegalArgumentException when two appends have the same element
   */
  public static List<Anomaly> check(
      List<Transaction> transactions, Map<String, List<Integer>> finals) {
    Versions versions = new Versions(transactions, finals);
    ListAppendChecker checker = new ListAppendChecker(transactions, versions);
    checker.anomalies.addAll(versions.anomalies());
    checker.anomalies.addAll(new Moments(transactions, versions).anomalies());
    checker.findG0AndG1c();
    checker.findOfSnapshots();
    checker.findOfSerializable();
    checker.findPermitted();
    return List.copyOf(checker.anomalies);
  }

  private static boolean isWw(Edge edge) {
    return edge.why() == Why.WW;
  }

  private static boolean isPast(Edge edge) {
    return !edge.isRw();
  }

  private boolean isNear(int node) {
    return !transactions.get(node).far();
  }

  private void tell(Kind kind, boolean forbidden, List<Edge> cycle) {
    StringBuilder what = new StringBuilder();
    for (Edge edge : cycle) {
      told.add(edge.from());
      what.append(edge).append("; ");
    }
    for (Edge edge : cycle) {
      what.append("\n  T").append(edge.from()).append(' ').append(transactions.get(edge.from()));
    }
    anomalies.add(new Anomaly(kind, forbidden, what.toString()));
  }

  private List<Edge> cycle(List<Integer> component, Predicate<Edge> one, Predicate<Edge> others) {
    return cycle(component, one, others, true, Integer.MAX_VALUE);
  }

  /** A cycle with one edge of a kind, and others. */
  private List<Edge> cycle(
      List<Integer> component,
      Predicate<Edge> one,
      Predicate<Edge> others,
      boolean inARow,
      int triesMax) {
    Set<Integer> nodes = new HashSet<>(component);
    return graph.within(nodes, one).stream()
        .limit(triesMax)
        .map(edge -> graph.cycle(edge, nodes, others, inARow))
        .filter(cycle -> !cycle.isEmpty())
        .findFirst()
        .orElse(List.of());
  }

  private void findG0AndG1c() {
    for (List<Integer> component : graph.cyclic(ListAppendChecker::isWw, node -> true)) {
      tell(Kind.G0, true, cycle(component, ListAppendChecker::isWw, ListAppendChecker::isWw));
    }
    for (List<Integer> component : graph.cyclic(ListAppendChecker::isPast, node -> true)) {
      List<Edge> cycle = cycle(component, edge -> edge.why() == Why.WR, ListAppendChecker::isPast);
      if (!cycle.isEmpty()) {
        tell(Kind.G1C, true, cycle);
      }
    }
  }

  private void findOfSnapshots() {
    for (Set<Integer> nodes : withoutTwoInARow(node -> true)) {
      List<Integer> component = List.copyOf(nodes);
      List<Edge> single =
          cycle(component, edge -> edge.isRw() && edge.firm(), ListAppendChecker::isPast);
      if (!single.isEmpty()) {
        tell(Kind.G_SINGLE, true, single);
        continue;
      }
      List<Set<Integer>> near = withoutTwoInARow(node -> isNear(node) && nodes.contains(node));
      for (Set<Integer> some : near.isEmpty() ? List.of(nodes) : near) {
        List<Edge> cycle =
            cycle(
                List.copyOf(some),
                edge -> edge.isRw() && edge.firm(),
                edge -> isPast(edge) || edge.firm(),
                false,
                Integer.MAX_VALUE);
        tell(Kind.G_NONADJACENT, !near.isEmpty(), cycle);
      }
    }
  }

  /**
   * Components with cycles in which no read that was overtaken follows another, but at least one
   * is. Each node is there twice: reached by such a read, or otherwise.
   */
  private List<Set<Integer>> withoutTwoInARow(IntPredicate some) {
    List<int[]> successors = new ArrayList<>();
    for (int node = 0; node < graph.size(); node++) {
      List<Edge> edges =
          some.test(node)
              ? graph.from(node).stream()
                  .filter(edge -> some.test(edge.to()) && (isPast(edge) || edge.firm()))
                  .toList()
              : List.of();
      successors.add(
          edges.stream().mapToInt(edge -> 2 * edge.to() + (edge.isRw() ? 1 : 0)).toArray());
      successors.add(
          edges.stream()
              .filter(ListAppendChecker::isPast)
              .mapToInt(edge -> 2 * edge.to())
              .toArray());
    }
    List<Set<Integer>> found = new ArrayList<>();
    for (List<Integer> component : Components.cyclic(successors)) {
      if (component.stream().anyMatch(node -> node % 2 == 1)) {
        Set<Integer> nodes = new HashSet<>();
        component.forEach(node -> nodes.add(node / 2));
        found.add(nodes);
      }
    }
    return found;
  }

  private void findOfSerializable() {
    IntPredicate serializable =
        node -> transactions.get(node).isolation() == Isolation.SERIALIZABLE;
    for (List<Integer> component : graph.cyclic(edge -> true, serializable)) {
      if (component.stream().noneMatch(told::contains)) {
        tell(Kind.G2, true, cycle(component, Edge::isRw, edge -> true));
      }
    }
  }

  private void findPermitted() {
    for (List<Integer> component : graph.cyclic(edge -> true, node -> true)) {
      if (component.stream().anyMatch(told::contains)) {
        continue;
      }
      List<Edge> single = cycle(component, Edge::isRw, ListAppendChecker::isPast, true, TRIES_MAX);
      if (single.isEmpty()) {
        tell(Kind.G2, false, cycle(component, Edge::isRw, edge -> true, true, 1));
      } else {
        tell(Kind.G_SINGLE, false, single);
      }
    }
  }
}
