package io.mgtm.group.core.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/** Mode lazy with a witness: lines between members that are cut. */
final class Lines {
  private final GroupSimulation world;
  private final SplittableRandom random;
  private long cutUntilMs;

  Lines(GroupSimulation world, SplittableRandom random) {
    this.world = world;
    this.random = random;
  }

  /** Whether all have been whole for a while. */
  boolean areWhole() {
    return world.nowMs() > cutUntilMs + 100;
  }

  /** Nothing passes between one and some others, which views show late, or never. */
  void cut(SimNode one) {
    int ms = random.nextInt(800);
    cutUntilMs = Math.max(cutUntilMs, world.nowMs() + ms);
    for (String other : List.copyOf(world.nodes().keySet())) {
      if (!other.equals(one.name) && random.nextInt(3) > 0) {
        cutLine(one.name, other, ms);
      }
    }
  }

  /**
   * The leader is cut off from the other member, which knows it and stands, then from the witness
   * too, which is started again as soon as it has answered.
   */
  void restartWitnessWithinThePromise(Consumer<SimNode> restart) {
    SimNode leader = world.leader();
    SimNode witness = world.node(world.witness);
    if (leader == null || !witness.alive) {
      return;
    }
    int ms = 150 + random.nextInt(100);
    cutUntilMs = Math.max(cutUntilMs, world.nowMs() + ms);
    for (SimNode other : List.copyOf(world.nodes().values())) {
      if (other != leader && other != witness) {
        cutLine(leader.name, other.name, ms, false);
        world.after(60 + random.nextInt(40), () -> view(other.name, leader.name, false));
      }
    }
    int lastAnsweredMs = 60 + random.nextInt(30);
    world.after(
        lastAnsweredMs,
        () -> {
          cutLine(leader.name, witness.name, ms - lastAnsweredMs, false);
          if (witness.alive && world.node(witness.name) == witness) {
            witness.alive = false;
            world.trace("%s is started again", witness.self());
            restart.accept(witness);
          }
        });
  }

  private void cutLine(String one, String other, int ms) {
    cutLine(one, other, ms, random.nextInt(4) > 0);
  }

  private void cutLine(String one, String other, int ms, boolean seen) {
    world.trace("%s and %s are cut", one, other);
    world.network.cut(one, other);
    world.network.cut(other, one);
    int shownAfterMs = Pauses.SUSPECT_MS / 3 + random.nextInt(Pauses.SUSPECT_MS);
    if (seen && shownAfterMs < ms) {
      world.after(shownAfterMs, () -> view(one, other, false));
      world.after(shownAfterMs + random.nextInt(50), () -> view(other, one, false));
    }
    world.after(
        ms,
        () -> {
          world.network.mend(one, other);
          world.network.mend(other, one);
          view(one, other, true);
          view(other, one, true);
        });
  }

  private void view(String of, String other, boolean up) {
    SimNode node = world.node(of);
    node.step(
        () -> {
          if (up) {
            node.core.peerUp(world.nowMs(), other);
          } else {
            node.core.peerDown(world.nowMs(), other);
          }
        });
  }
}
