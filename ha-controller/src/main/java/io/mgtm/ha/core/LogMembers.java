package io.mgtm.ha.core;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Who takes part in the controllers' log, as its leader knows it, and what it does next so that
 * they become the nodes of the configuration. Nobody leaves before all who come have what is
 * committed, so that there are as many votes as before until then; only a witness leaves for
 * another witness first, since there is one at a time.
 *
 * @param leader its name
 * @param members by name, whether it has what is committed
 * @param witness the member that only votes, empty for none
 * @param awaited those that may join and have not shown up
 * @param successors who may lead in the leader's place, the best first
 */
public record LogMembers(
    String leader,
    Map<String, Boolean> members,
    String witness,
    Set<String> awaited,
    List<String> successors) {

  /** One change. */
  public sealed interface Step {
    String name();
  }

  /** A node may join when it shows up. */
  public record Join(String name, boolean asWitness) implements Step {}

  /** A node is a member no more, and may not join. */
  public record Leave(String name) implements Step {}

  /** A node leads in the place of one that leaves. */
  public record Lead(String name) implements Step {}

  /**
   * What is done next, each of these; empty when there is nothing, or something is waited for.
   *
   * @param wanted by the configuration, and which of them only votes
   */
  public List<Step> next(Map<String, Boolean> wanted) {
    if (!wanted.containsKey(leader)) {
      return first(successors.stream().filter(wanted::containsKey).findFirst().map(Lead::new));
    }
    Optional<String> unwanted =
        awaited.stream().filter(name -> !wanted.containsKey(name)).findFirst();
    if (unwanted.isPresent() || changesWitness(wanted)) {
      return List.of(new Leave(unwanted.orElse(witness)));
    }
    List<Step> joining = new ArrayList<>();
    wanted.forEach(
        (name, votesOnly) -> {
          if (!members.containsKey(name) && !awaited.contains(name)) {
            joining.add(new Join(name, votesOnly));
          }
        });
    return joining.isEmpty() && wanted.keySet().stream().allMatch(this::hasAll)
        ? first(leaving(wanted.keySet()).stream().findFirst().map(Leave::new))
        : joining;
  }

  private static List<Step> first(Optional<? extends Step> step) {
    return step.<List<Step>>map(List::of).orElse(List.of());
  }

  private boolean changesWitness(Map<String, Boolean> wanted) {
    return !witness.isEmpty() && !wanted.containsKey(witness) && wanted.containsValue(true);
  }

  private boolean hasAll(String node) {
    return members.getOrDefault(node, false);
  }

  /** Members that are not in the configuration any more. */
  public Set<String> leaving(Set<String> nodes) {
    Set<String> leaving = new LinkedHashSet<>(members.keySet());
    leaving.removeAll(nodes);
    return leaving;
  }
}
