package io.mgtm.block.volume;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The cluster beside a model: it notes which copies the primary goes on without, looks now and then
 * which are in sync again, and vouches for one that never was left behind. Nothing may be answered
 * without a replica that it does not count as left behind, and a copy that it vouched for lacks
 * nothing.
 *
 * <p>In a third of the schedules; it has a random source of its own, so that the others stay what
 * they were.
 */
final class ModelFences {
  private static final int ATTEMPT_TURNS = 8;
  private static final int SLOW_TURNS = 60;
  private static final int OBSERVED_MAX = 8;

  /** A replica was in sync when the cluster had noted so many things. */
  private record Observed(ModelNode copy, long version) {}

  private final ModelWorld world;
  private final Random random;
  private final boolean on;
  private final Set<ModelNode> outdated = new HashSet<>();
  private final ArrayDeque<Observed> observed = new ArrayDeque<>();
  private final Map<ModelNode, Integer> powerLostAt = new HashMap<>();
  private ModelNode primary;
  private long version;
  private boolean vouched;

  ModelFences(ModelWorld world) {
    this.world = world;
    random = new Random(17L * world.seed + 5);
    on = world.fault == ModelFault.NONE ? world.seed % 3 == 2 : world.fault.meetsFences();
  }

  boolean isOn() {
    return on;
  }

  /** Whether the cluster vouched for a copy, while the last primary may live on unheard. */
  boolean hasVouched() {
    return vouched;
  }

  void started(ModelNode node) {
    primary = primary == null ? node : primary;
    if (on) {
      node.core.fencing().require();
    }
  }

  // What a primary has noted.

  /** Where the cluster takes no part, a test answers by itself. */
  void ask(ModelNode node, FenceRequest request) {
    if (!on) {
      return;
    }
    if (world.fault == ModelFault.ANSWERED_BEFORE_FENCE) {
      node.after(SLOW_TURNS, () -> note(node, request));
      node.later(() -> node.core.fencing().attempted(request.token(), null));
      return;
    }
    attempt(node, request);
  }

  private static boolean isAsked(ModelNode node, FenceRequest request) {
    Fencing.Waiting waiting = node.core.fencing().waiting();
    return waiting != null && waiting.request().equals(request);
  }

  private void attempt(ModelNode node, FenceRequest request) {
    int turns = random.nextInt(6) == 0 ? SLOW_TURNS : random.nextInt(ATTEMPT_TURNS);
    node.after(
        turns,
        () -> {
          if (!isAsked(node, request)) {
            return;
          }
          boolean fails = !world.isRepairing() && random.nextInt(4) == 0;
          boolean noted = (!fails || random.nextBoolean()) && note(node, request);
          if (noted && !fails) {
            node.core.fencing().attempted(request.token(), null);
          } else {
            node.core.fencing().attempted(request.token(), "the cluster does not answer");
            attempt(node, request);
          }
        });
  }

  /** The cluster notes that copies are left behind, if it counts {@code node} as the primary. */
  private boolean note(ModelNode node, FenceRequest request) {
    if (node != primary && !world.isRepairing()) {
      return false;
    }
    List<String> left =
        world.fault == ModelFault.FENCE_OF_WRONG_SET ? request.inSync() : request.lost();
    for (int link = 0; link < node.linkTargets.size(); link++) {
      if (left.contains(node.linkConfigs.get(link).name())) {
        outdated.add(node.linkTargets.get(link));
      }
    }
    version++;
    world.trace(() -> "n" + node.index + " has fenced " + left + ", " + request.token());
    return true;
  }

  /** A side dies; a process that it had begun may go on. */
  void died(ModelNode node, boolean power) {
    Fencing.Waiting waiting = node.core.fencing().waiting();
    if (waiting != null && random.nextBoolean()) {
      note(node, waiting.request());
    }
    if (power) {
      powerLostAt.put(node, world.history.lastIssued());
    }
  }

  // What it sees.

  /** The cluster looks at its primary, and a while later notes what it saw. */
  void observe() {
    if (!on) {
      return;
    }
    if (!isServing(primary)) {
      // A promotion that it ordered was cut short, and the old primary lives.
      for (ModelNode node : world.nodes) {
        if (isServing(node) && !outdated.contains(node)) {
          primary = node;
          version++;
        }
      }
    } else if (random.nextInt(4) == 0 && observed.size() < OBSERVED_MAX) {
      for (int link = 0; link < primary.linkTargets.size(); link++) {
        if (primary.core.view().link(link).inSync()) {
          observed.add(new Observed(primary.linkTargets.get(link), version));
        }
      }
    }
    if (!observed.isEmpty() && random.nextInt(4) == 0) {
      Observed one = observed.poll();
      if (one.version() == version) {
        outdated.remove(one.copy());
      }
    }
  }

  private static boolean isServing(ModelNode node) {
    return node.isUp() && node.core.isPrimary();
  }

  // Promotions.

  /** Whether the cluster lets {@code node} be promoted on what the copies say. */
  boolean mayPromote(ModelNode node) {
    return !on || !outdated.contains(node) || world.isRepairing();
  }

  /** Whether it vouches for {@code node}. */
  boolean mayVouch(ModelNode node) {
    boolean known = !outdated.contains(node) || world.fault == ModelFault.VOUCHED_THOUGH_FENCED;
    return on && known && world.mode == LinkMode.SYNC && !world.isCascade();
  }

  /** It notes that {@code node} is to be primary; answers how to take that back. */
  Runnable promoting(ModelNode node, Grounds grounds) {
    ModelNode before = primary;
    primary = node;
    version++;
    vouched |= grounds == Grounds.VOUCHED;
    return () -> primary = primary == node ? before : primary;
  }

  // What must hold.

  /** A client of {@code node} was told that {@code change} is done. */
  void answered(ModelNode node, Change change) {
    if (!on || world.mode != LinkMode.SYNC) {
      return;
    }
    for (int link = 0; link < node.linkTargets.size(); link++) {
      ModelNode copy = node.linkTargets.get(link);
      boolean inSync = node.core.view().link(link).inSync();
      if (!inSync && !outdated.contains(copy) && lacks(copy, change)) {
        throw new AssertionError(
            "n"
                + node.index
                + " answered write "
                + change.context()
                + " without n"
                + copy.index
                + ", which is not fenced");
      }
    }
  }

  /**
   * Whether {@code copy} has neither this change nor a later one, and not by an error of its own.
   */
  private boolean lacks(ModelNode copy, Change change) {
    long id = (Long) change.context();
    boolean lostIt = powerLostAt.getOrDefault(copy, -1) >= id;
    if (lostIt || !copy.files.state.consistent() || copy.flushes.isUnderWay()) {
      return false;
    }
    for (int i = 0; i < change.length(); i++) {
      if (copy.disk.cache[(int) change.offset() + i] < id) {
        return true;
      }
    }
    return false;
  }

  /** Two sides found that both had begun a generation that the other does not know. */
  void split(ModelNode one, ModelNode other) {
    Generations ones = one.files.state.generations();
    Generations others = other.files.state.generations();
    boolean both =
        world.history.isAnsweredBeyond(ones, others)
            && world.history.isAnsweredBeyond(others, ones);
    if (!vouched || both) {
      throw new AssertionError(
          "n" + one.index + " and n" + other.index + " are split, nobody was forced");
    }
  }
}
