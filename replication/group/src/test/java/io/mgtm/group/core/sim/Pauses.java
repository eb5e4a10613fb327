package io.mgtm.group.core.sim;

import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;

/** Mode lazy: processes that stand still while the others go on. */
final class Pauses {
  /** After this a member that does not answer is left out of the others' views. */
  static final int SUSPECT_MS = 120;

  private final GroupSimulation world;
  private final SplittableRandom random;

  /** Members that are not in the others' views. */
  private final Set<SimNode> leftOut = new HashSet<>();

  Pauses(GroupSimulation world, SplittableRandom random) {
    this.world = world;
    this.random = random;
  }

  /** A process stands still; when that takes long, the others go on without it. */
  void pause(SimNode node) {
    if (!node.alive || node.isPaused()) {
      return;
    }
    node.pause();
    int ms = 10 + random.nextInt(400);
    int suspectedMs = SUSPECT_MS + random.nextInt(30);
    if (ms > suspectedMs) {
      world.after(suspectedMs, () -> leaveOut(node));
    }
    world.after(ms, () -> goOn(node));
  }

  /** Whether nobody stands still or is left out. */
  boolean isQuiet() {
    return leftOut.stream().noneMatch(node -> node.alive)
        && world.nodes().values().stream().noneMatch(SimNode::isPaused);
  }

  private void leaveOut(SimNode node) {
    if (!node.alive) {
      return;
    }
    world.trace("%s is left out", node.self());
    leftOut.add(node);
    for (SimNode other : world.nodes().values()) {
      if (other != node) {
        world.network.cut(node.name, other.name);
        world.network.cut(other.name, node.name);
        other.step(() -> other.core.peerDown(world.nowMs(), node.name));
      }
    }
  }

  /** To one that was left out the others seem silent, until it hears that it was. */
  private void goOn(SimNode node) {
    if (!node.alive) {
      return;
    }
    if (leftOut.contains(node)) {
      boolean first = random.nextBoolean();
      for (SimNode other : world.nodes().values()) {
        Runnable gone = () -> node.core.peerDown(world.nowMs(), other.name);
        if (other != node && first) {
          node.putFirst(gone);
        } else if (other != node) {
          node.step(gone);
        }
      }
      world.after(random.nextInt(300), () -> merge(node));
    }
    node.wake();
  }

  /** All are in one view again. */
  private void merge(SimNode node) {
    if (world.node(node.name) != node || !node.alive) {
      return;
    }
    leftOut.remove(node);
    for (SimNode other : world.nodes().values()) {
      if (other != node && !leftOut.contains(other)) {
        world.network.mend(node.name, other.name);
        world.network.mend(other.name, node.name);
        node.step(() -> node.core.peerUp(world.nowMs(), other.name));
        other.step(() -> other.core.peerUp(world.nowMs(), node.name));
      }
    }
  }

  /** Another process has taken the place of one that died: it is in everybody's view. */
  void restarted(SimNode dead) {
    leftOut.remove(dead);
    merge(world.node(dead.name));
  }
}
