package io.mgtm.ha.core;

import io.mgtm.ha.core.LogMembers.Join;
import io.mgtm.ha.core.LogMembers.Lead;
import io.mgtm.ha.core.LogMembers.Step;
import io.mgtm.ha.model.Node;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who votes in the controllers' log. Its leader changes that, as the configuration says, one member
 * at a time, each time by majorities before and after.
 */
final class SimVotes {

  /** Whose votes count at some time; in an order, so that a seed leads to the same in every JVM. */
  private record Voters(Set<String> names, String witness) {
    Voters {
      names = Collections.unmodifiableSet(new LinkedHashSet<>(names));
    }

    boolean isMajority(Collection<String> reached) {
      int votes = 0;
      for (String name : names) {
        votes += reached.contains(name) ? 1 : 0;
      }
      return votes >= Math.max(names.size() / 2 + 1, witness.isEmpty() ? 1 : 2);
    }

    Voters with(String name) {
      Set<String> more = new LinkedHashSet<>(names);
      more.add(name);
      return new Voters(more, witness);
    }

    Voters without(String name) {
      Set<String> rest = new LinkedHashSet<>(names);
      rest.remove(name);
      return new Voters(rest, name.equals(witness) ? "" : witness);
    }

    /** A witness stands for the second of two copies. */
    boolean isAllowed() {
      return !names.contains(witness) || names.size() <= 3;
    }
  }

  private final Map<Long, Voters> whenElected = new HashMap<>();
  private final Set<String> learners = new LinkedHashSet<>();
  private final Map<String, Boolean> awaited = new LinkedHashMap<>();
  private Voters now;

  /** Those of a cluster that begins. */
  SimVotes(Map<String, Node> nodes) {
    String witness =
        nodes.keySet().stream().filter(name -> nodes.get(name).witness()).findFirst().orElse("");
    now = new Voters(nodes.keySet(), witness);
  }

  /** Whether a member that reaches these has a majority. */
  boolean isMajority(Collection<String> reached) {
    return now.isMajority(reached);
  }

  /** The same as it was when a term began. */
  boolean wasMajority(long term, Collection<String> reached) {
    return whenElected.getOrDefault(term, now).isMajority(reached);
  }

  boolean mayLead(String name) {
    return now.names().contains(name) && !name.equals(now.witness());
  }

  /** Those who may come are forgotten with the leader that has let them. */
  void elected(long term) {
    whenElected.put(term, now);
    awaited.clear();
  }

  boolean are(Set<String> nodes) {
    return now.names().equals(nodes) && learners.isEmpty() && awaited.isEmpty();
  }

  /**
   * The leader does what comes next.
   *
   * @param reached the members that it is connected with, itself among them
   * @return who shall lead in its place; empty when it leads on
   */
  Optional<String> follow(String leader, List<String> reached, Map<String, Boolean> wanted) {
    if (letIn(reached)) {
      return Optional.empty();
    }
    Map<String, Boolean> members = new LinkedHashMap<>();
    now.names().forEach(name -> members.put(name, true));
    learners.forEach(name -> members.put(name, reached.contains(name)));
    List<String> successors =
        reached.stream().filter(name -> !name.equals(leader) && mayLead(name)).toList();
    LogMembers log = new LogMembers(leader, members, now.witness(), awaited.keySet(), successors);
    Optional<String> next = Optional.empty();
    for (Step step : log.next(wanted)) {
      if (step instanceof Lead lead) {
        next = Optional.of(lead.name());
      } else if (step instanceof Join join) {
        awaited.put(join.name(), join.asWitness());
      } else if (awaited.remove(step.name()) == null && !learners.remove(step.name())) {
        become(now.without(step.name()), reached);
      }
    }
    return next;
  }

  /** Who shows up learns, and who learns votes, one at a time. */
  private boolean letIn(List<String> reached) {
    for (String learner : learners) {
      Voters next = now.with(learner);
      if (reached.contains(learner) && next.isAllowed() && become(next, reached)) {
        learners.remove(learner);
        return true;
      }
    }
    for (Map.Entry<String, Boolean> each : awaited.entrySet()) {
      String name = each.getKey();
      if (reached.contains(name) && (!each.getValue() || now.names().size() > 1)) {
        awaited.remove(name);
        learners.add(name);
        now = each.getValue() ? new Voters(now.names(), name) : now;
        return true;
      }
    }
    return false;
  }

  private boolean become(Voters next, List<String> reached) {
    boolean agreed = now.isMajority(reached) && next.isMajority(reached);
    now = agreed ? next : now;
    return agreed;
  }
}
