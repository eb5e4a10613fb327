package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Outcome;
import java.util.Arrays;
import java.util.List;

/**
 * The end of a schedule: the troubles stop, an operator settles splits, and then all sides must
 * become equal in bounded time.
 */
final class ModelRepair {
  private static final int ROUNDS_MAX = 400;
  private static final int ROUND_STEPS = 60;

  private final ModelWorld world;

  ModelRepair(ModelWorld world) {
    this.world = world;
  }

  void run() {
    world.beginRepair();
    for (ModelNode node : world.nodes) {
      node.failing = false;
      boolean stops = node.isUp() && !node.core.administration().isAccepting();
      if (stops || (node.isUp() && node.core.isDetached())) {
        // It waits for replicas that may never come, or its disk is replaced: it is killed.
        world.crashOrRestart(node);
      }
      if (!node.isUp()) {
        world.crashOrRestart(node);
      }
    }
    steps(20);
    ModelNode primary = settleRoles();
    for (int round = 0; round < ROUNDS_MAX; round++) {
      grow(round);
      if (primary.core.state().role() == Role.SECONDARY || isRelayRefused(round)) {
        // It, or who is fed by it, met a newer one; the operator wants this one all the same.
        primary.core.administration().promote(Grounds.FORCE, List.of(), refusal -> {});
      }
      for (ModelNode node : world.nodes) {
        for (int link = 0; link < node.connections.length; link++) {
          resolve(node, link, primary);
        }
      }
      steps(1);
      if (isDone(primary)) {
        compare(primary);
        return;
      }
    }
    throw new AssertionError("the sides did not become equal in bounded time: " + describe());
  }

  /** Whether what the primary feeds was found older than another copy; asked now and then. */
  private boolean isRelayRefused(int round) {
    return round % 8 == 4
        && world.nodes.stream()
            .flatMap(node -> node.core.view().links().stream())
            .anyMatch(link -> link.refusal() == Outcome.SOURCE_OUTDATED);
  }

  /** Goes on for so many rounds, or until there is nothing to do but to wait. */
  private void steps(int rounds) {
    for (int i = 0; i < rounds * ROUND_STEPS; i++) {
      if (i % ROUND_STEPS == ROUND_STEPS / 2 && isQuiet()) {
        return;
      }
      world.completeSomething();
      world.deliverSomething();
      if (i % 4 == 0) {
        world.tickSomeone();
      }
    }
  }

  private boolean isQuiet() {
    for (ModelNode node : world.nodes) {
      if (!node.pending.isEmpty() || node.wantsToDial()) {
        return false;
      }
    }
    return world.connections.stream().allMatch(ModelConnection::isIdle);
  }

  /**
   * One primary stays, the others become secondary; without one, the first side that may is
   * promoted.
   */
  private ModelNode settleRoles() {
    ModelNode primary = null;
    for (ModelNode node : world.nodes) {
      boolean can = node.connections.length > 0;
      if (node.core.state().role() == Role.PRIMARY && can) {
        if (primary == null) {
          primary = node;
        } else {
          demote(node, true);
        }
      } else if (node.core.state().role() == Role.PRIMARY) {
        demote(node, true);
      }
    }
    steps(20);
    if (primary == null) {
      primary =
          world.nodes.get(0).core.state().generations().isEmpty()
              ? world.nodes.get(1)
              : world.nodes.get(0);
      primary.core.administration().promote(Grounds.FORCE, List.of(), refusal -> {});
      steps(20);
    }
    return primary;
  }

  /** An operator gives all sides the size of the largest. */
  private void grow(int round) {
    long size = 0;
    for (ModelNode node : world.nodes) {
      size = Math.max(size, node.core.state().sizeBytes());
    }
    for (ModelNode node : world.nodes) {
      if (node.core.state().sizeBytes() < size
          && !node.core.receiver().isConnected()
          && round % 8 == 0) {
        world.resize(node, size);
      }
    }
  }

  private void demote(ModelNode node, boolean discard) {
    Administration administration = node.core.administration();
    administration.demote(
        discard,
        refusal -> {
          if (discard && Administration.NOT_SPLIT.equals(refusal)) {
            administration.demote(false, again -> {});
          }
        });
    steps(10);
  }

  private void resolve(ModelNode node, int link, ModelNode primary) {
    VolumeView.Link view = node.core.view().link(link);
    if (view.phase() == LinkPhase.PAUSED) {
      node.core.administration().links().resume(link);
    }
    ModelNode target = node.linkTargets.get(link);
    if (view.refusal() == Outcome.MISMATCH && target != primary) {
      // Two were promoted by force when they were empty, which made two volumes.
      world.kill(target, false);
      target.files.moveAway();
      world.crashOrRestart(target);
    } else if (view.phase() == LinkPhase.REFUSED) {
      if (target != primary
          && target.core.state().role() == Role.SECONDARY
          && !target.core.state().discard()) {
        target.core.administration().demote(true, refusal -> {});
      }
    }
  }

  private boolean isDone(ModelNode primary) {
    for (ModelNode node : world.nodes) {
      if (!node.pending.isEmpty() && !node.inFlight.isEmpty()) {
        return false;
      }
      for (int link = 0; link < node.connections.length; link++) {
        boolean toPrimary = node.linkTargets.get(link) == primary;
        boolean source = node == primary || (node.core.receiver().isConnected() && !toPrimary);
        boolean doubled =
            node != primary && primary.linkTargets.contains(node.linkTargets.get(link));
        VolumeView.Link view = node.core.view().link(link);
        if (source
            && !doubled
            && (view.phase() != LinkPhase.UP_TO_DATE || view.queuedBytes() > 0)) {
          return false;
        }
      }
    }
    return true;
  }

  private void compare(ModelNode primary) {
    steps(4);
    for (ModelNode node : world.nodes) {
      for (int link = 0; link < node.connections.length; link++) {
        ModelNode target = node.linkTargets.get(link);
        if (node.core.view().link(link).phase() == LinkPhase.UP_TO_DATE
            && !Arrays.equals(node.content(), target.content())) {
          throw new AssertionError(
              "n"
                  + node.index
                  + " and n"
                  + target.index
                  + " say they are equal but are not: "
                  + Arrays.toString(node.content())
                  + " and "
                  + Arrays.toString(target.content()));
        }
      }
    }
    if (primary.core.view().links().stream()
        .noneMatch(link -> link.phase() == LinkPhase.UP_TO_DATE)) {
      throw new AssertionError("no replica of n" + primary.index + " is up to date");
    }
  }

  private String describe() {
    StringBuilder text = new StringBuilder();
    for (ModelNode node : world.nodes) {
      text.append("n").append(node.index).append(' ').append(node.core.state()).append(' ');
      text.append(node.core.view().links())
          .append(" pending ")
          .append(node.pending.size())
          .append('\n');
    }
    return text.toString();
  }
}
