package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.model.Hierarchy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * The guard steps of a hierarchy, and which of them wait for which. A resource is ended after those
 * that stand on it, since unmounting wants its block device; those that do not stand on each other
 * are ended side by side, so that one that takes long holds up no other.
 *
 * @param steps with those that wait for others after these
 * @param after for each step, by their places, those that come before it
 */
public record GuardPlan(List<GuardStep> steps, List<List<Integer>> after) {
  /** Ends nothing. */
  public static final GuardPlan NOTHING = new GuardPlan(List.of(), List.of());

  /** One that was written before steps were ended side by side has one after the other. */
  public GuardPlan {
    steps = List.copyOf(steps);
    after = after == null ? chain(steps.size()) : List.copyOf(after);
  }

  private static List<List<Integer>> chain(int size) {
    return IntStream.range(0, size)
        .mapToObj(i -> i == 0 ? List.<Integer>of() : List.of(i - 1))
        .toList();
  }

  /** One after the other. */
  public static GuardPlan inOrder(List<GuardStep> steps) {
    return new GuardPlan(steps, null);
  }

  /**
   * Of a hierarchy.
   *
   * @param steps by resource; of those that are not named nothing is ended
   */
  public static GuardPlan of(Hierarchy hierarchy, Map<String, List<GuardStep>> steps) {
    List<GuardStep> all = new ArrayList<>();
    List<List<Integer>> after = new ArrayList<>();
    Map<String, Set<Integer>> waitsFor = new HashMap<>();
    List<String> bottomUp = hierarchy.bottomUp();
    for (int i = bottomUp.size() - 1; i >= 0; i--) {
      String name = bottomUp.get(i);
      Set<Integer> before = waitsFor.getOrDefault(name, Set.of());
      for (GuardStep step : steps.getOrDefault(name, List.of())) {
        after.add(List.copyOf(before));
        before = Set.of(all.size());
        all.add(step);
      }
      for (String below : hierarchy.resources().get(name).on()) {
        waitsFor.computeIfAbsent(below, none -> new TreeSet<>()).addAll(before);
      }
    }
    return new GuardPlan(all, after);
  }

  /** Throws unless each step waits for earlier ones only. */
  void check() {
    boolean right = after.size() == steps.size();
    for (int i = 0; right && i < after.size(); i++) {
      int place = i;
      right = after.get(i).stream().allMatch(before -> before >= 0 && before < place);
    }
    if (!right) {
      throw new IllegalArgumentException("steps wait for steps that are not there");
    }
  }

  /** Whether it ends something. */
  public boolean endsSomething() {
    return !steps.isEmpty();
  }

  /**
   * Does each step once, all of them, whatever one of them says.
   *
   * @param done does a step, by one of the threads; whether nothing was left of what it ends
   * @return completed with whether nothing was left of anything
   */
  public CompletableFuture<Boolean> begin(Executor threads, Predicate<GuardStep> done) {
    List<CompletableFuture<Boolean>> all = new ArrayList<>();
    for (int i = 0; i < steps.size(); i++) {
      GuardStep step = steps.get(i);
      CompletableFuture<?>[] before =
          after.get(i).stream().map(all::get).toArray(CompletableFuture[]::new);
      all.add(
          CompletableFuture.allOf(before)
              .handleAsync((nothing, failed) -> done.test(step), threads)
              .exceptionally(failed -> false));
    }
    return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new))
        .thenApply(nothing -> all.stream().allMatch(CompletableFuture::join));
  }
}
