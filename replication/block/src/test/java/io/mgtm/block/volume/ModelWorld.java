package io.mgtm.block.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;

/**
 * Nodes, connections and clients of one seeded schedule, driven step by step. Everything random
 * comes from the one seed.
 */
final class ModelWorld {
  static final int NODES_MAX = 4;

  private record Flush(int issuedAt) {}

  final long seed;
  final Random random;
  final ModelFault fault;
  final ModelHistory history = new ModelHistory();
  final List<ModelNode> nodes = new ArrayList<>();
  final List<ModelConnection> connections = new ArrayList<>();
  final LinkMode mode;
  private final boolean cascade;
  final CoreTiming timing;
  private final StringBuilder trace = new StringBuilder();
  private final boolean tracing;
  private long nextId = 1;
  private long nowMs = 1;
  boolean pathsUp = true;
  private boolean repairing;
  final ModelPromotions promotions;
  final ModelFences fences;
  final ModelFailingDisk failingDisk = new ModelFailingDisk(this);

  ModelWorld(long seed, ModelFault fault, boolean tracing) {
    this.seed = seed;
    this.random = new Random(scatter(seed));
    this.fault = fault;
    this.tracing = tracing;
    LinkMode[] modes = {LinkMode.SYNC, LinkMode.SYNC, LinkMode.ASYNC, LinkMode.SEMI};
    mode = modes[random.nextInt(modes.length)];
    // Some faults show with two replicas of one primary only.
    boolean both = fault == ModelFault.GENERATION_NOT_SPREAD;
    boolean three = random.nextInt(3) == 0 || both;
    cascade = three && random.nextBoolean() && !both;
    boolean checksums = random.nextInt(3) == 0;
    boolean small = random.nextInt(3) == 0;
    int[] kept = {0, 0, 0, ModelNode.BLOCKS / 2, ModelNode.BLOCKS};
    int[] ahead = {0, 0, 2 * ModelNode.CHUNK_BLOCKS, 3 * ModelNode.CHUNK_BLOCKS};
    timing =
        new CoreTiming(
            5, 20, kept[random.nextInt(kept.length)], ahead[random.nextInt(ahead.length)]);
    fences = new ModelFences(this);
    promotions = new ModelPromotions(this);
    boolean four = cascade && random.nextBoolean();
    for (int i = 0; i < (four ? 4 : three ? 3 : 2); i++) {
      nodes.add(new ModelNode(this, i, i == 0 ? Role.PRIMARY : Role.SECONDARY));
    }
    nodes.get(0).linkTo(nodes.get(1), mode, checksums, small);
    nodes.get(1).linkTo(nodes.get(0), mode, checksums, small);
    if (cascade) {
      nodes.get(1).linkTo(nodes.get(2), mode, checksums, small);
      if (four) {
        nodes.get(2).linkTo(nodes.get(3), mode, checksums, small);
      }
    } else if (three) {
      nodes.get(0).linkTo(nodes.get(2), mode, checksums, small);
      nodes.get(1).linkTo(nodes.get(2), mode, checksums, small);
      nodes.get(2).linkTo(nodes.get(0), mode, checksums, small);
      nodes.get(2).linkTo(nodes.get(1), mode, checksums, small);
    }
    nodes.forEach(ModelNode::start);
  }

  /** Neighbouring seeds of {@link Random} begin with nearly the same numbers; spread them. */
  private static long scatter(long seed) {
    long mixed = (seed + 1) * 0x9E3779B97F4A7C15L;
    mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
    return mixed ^ (mixed >>> 31);
  }

  long newId() {
    return nextId++ * 1000 + random.nextInt(1000);
  }

  void trace(Supplier<String> line) {
    if (tracing) {
      trace.append(history.now()).append(' ').append(line.get()).append('\n');
    }
  }

  String trace() {
    return trace.toString();
  }

  /** Runs {@code steps} random steps, then repairs everything and compares. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      step();
      checkReplicas();
    }
    new ModelRepair(this).run();
  }

  /** A copy that a synchronous link calls up to date has all that was acknowledged. */
  private void checkReplicas() {
    if (mode != LinkMode.SYNC || promotions.everForced()) {
      return;
    }
    for (ModelConnection connection : connections) {
      ModelNode target = connection.target;
      if (connection.open
          && target.life == connection.targetLife
          && connection.source.core.view().link(connection.link).phase() == LinkPhase.UP_TO_DATE
          && history.mayViolate(target.disk.cache, (int) target.core.state().sizeBytes())) {
        Generations known = target.core.state().generations();
        fail(target, history.violation(target.content(), known), "said to be up to date");
      }
    }
  }

  void step() {
    int dice = random.nextInt(100);
    if (dice < 42) {
      completeSomething();
    } else if (dice < 72) {
      deliverSomething();
    } else if (dice < 86) {
      client();
    } else if (dice < 97) {
      tickSomeone();
    } else if (random.nextInt(3) == 0) {
      trouble();
    }
  }

  void completeSomething() {
    ModelNode node = nodes.get(random.nextInt(nodes.size()));
    if (!node.pending.isEmpty()) {
      node.step();
    }
  }

  void deliverSomething() {
    connections.removeIf(c -> !c.open);
    if (connections.isEmpty()) {
      return;
    }
    ModelConnection connection = connections.get(random.nextInt(connections.size()));
    boolean forward = random.nextBoolean();
    if (forward && !connection.toTarget.isEmpty()) {
      boolean blocked = connection.target.core.receiver().isBlocked();
      if (!blocked || random.nextInt(4) == 0) {
        connection.toTarget.poll().run();
      }
    } else if (!forward && !connection.toSource.isEmpty()) {
      connection.toSource.poll().run();
    }
  }

  void tickSomeone() {
    nowMs += random.nextInt(3);
    ModelNode node = nodes.get(random.nextInt(nodes.size()));
    if (!node.isUp()) {
      return;
    }
    node.flushes.tick(nowMs);
    fences.observe();
    for (int link = 0; link < node.connections.length; link++) {
      if (pathsUp && node.wantsToDial(link) && random.nextInt(2) == 0) {
        node.dial(link);
      }
    }
  }

  private void client() {
    for (ModelNode node : nodes) {
      if (node.isUp() && node.core.isPrimary() && random.nextInt(3) > 0) {
        request(node);
        failingDisk.perhapsRead(node);
      }
    }
  }

  void request(ModelNode node) {
    Change change = new Change();
    if (random.nextInt(6) == 0) {
      node.core.submit(change.flush().context(new Flush(history.tick())));
      return;
    }
    int length = 1 + random.nextInt(random.nextInt(8) == 0 ? 8 : 3);
    int offset = random.nextInt((int) node.core.state().sizeBytes() - length + 1);
    boolean fua = random.nextInt(8) == 0;
    long id = history.issued(node.index, node.core.state().generations().current(), offset, length);
    if (random.nextInt(6) == 0) {
      change.zero(offset, length, fua, true);
      change.data = id;
    } else {
      change.write(offset, length, fua, id);
    }
    trace(
        () ->
            "n"
                + node.index
                + " issues "
                + id
                + " at "
                + offset
                + "+"
                + length
                + (fua ? " FUA" : ""));
    node.core.submit(change.context(id));
  }

  void completed(ModelNode node, Change change, int errno) {
    trace(() -> "n" + node.index + " answers " + change.context() + " with " + errno);
    if (errno != Errno.OK) {
      if (change.context() instanceof Flush || change.isFua()) {
        history.toldOfFailedFlush(node.index);
      }
      return;
    }
    promotions.acknowledged(node);
    if (change.context() instanceof Flush) {
      history.flushed(
          node.index,
          ((Flush) change.context()).issuedAt(),
          node.core.state().generations().current());
    } else {
      fences.answered(node, change);
      history.acked(
          (Long) change.context(), change.isFua(), node.core.state().generations().current());
    }
  }

  private void trouble() {
    ModelNode node = nodes.get(random.nextInt(nodes.size()));
    switch (random.nextInt(24)) {
      case 0, 1 -> cutPaths();
      case 2 -> pathsUp = !pathsUp || random.nextInt(3) > 0;
      case 3, 4 -> crashOrRestart(node);
      case 5 -> promote(node);
      case 6 -> demote(node);
      case 7 -> node.failing = random.nextInt(3) == 0;
      case 8, 9 -> failOver();
      case 10, 11 -> powerCycle(nodes.get(1));
      case 12 -> stop(node);
      case 13, 14 -> resize(node);
      case 15, 16 -> spoil(node);
      case 17, 18, 19 -> promotions.switchOver();
      case 20 -> promote(node);
      case 21, 22 -> failingDisk.breakDisk();
      default -> maintain(node);
    }
  }

  /**
   * The primary dies; the other side, which may have crashed too, is promoted as soon as its disk
   * is at rest.
   */
  private void failOver() {
    ModelNode other = nodes.get(1);
    boolean power = random.nextInt(4) == 0;
    if (nodes.get(0).isUp()) {
      kill(nodes.get(0), power);
    }
    if (other.isUp() && random.nextBoolean()) {
      kill(other, power);
    }
    if (!other.isUp()) {
      crashOrRestart(other);
    }
    for (int i = 0; i < 400 && !other.pending.isEmpty(); i++) {
      other.step();
    }
    promote(other);
    for (int i = 0; i < 60 && !other.pending.isEmpty(); i++) {
      other.step();
    }
  }

  /** A primary grows, by an odd number of blocks, so that the last chunk does too. */
  private void resize(ModelNode node) {
    if (node.isUp() && node.core.state().role() == Role.PRIMARY) {
      long size = node.core.state().sizeBytes() + random.nextInt(6);
      resize(node, Math.min(ModelDisk.BLOCKS_MAX, size));
    }
  }

  void resize(ModelNode node, long size) {
    node.core
        .administration()
        .resize(size, why -> trace(() -> "n" + node.index + " to " + size + ": " + why));
  }

  /** A node dies, and before it is back somebody spoils its state or a bitmap. */
  private void spoil(ModelNode node) {
    if (node.isUp()) {
      kill(node, random.nextBoolean());
    }
    String how = node.spoil();
    trace(() -> "n" + node.index + ": " + how);
    if (random.nextBoolean()) {
      crashOrRestart(node);
    }
  }

  private void powerCycle(ModelNode node) {
    if (node.isUp()) {
      kill(node, true);
      crashOrRestart(node);
    }
  }

  /** A node ends in order: once its bits say exactly what differs, it is gone. */
  private void stop(ModelNode node) {
    if (node.isUp()) {
      trace(() -> "n" + node.index + " is to stop");
      node.core.administration().retire(() -> node.later(() -> stopped(node)));
    }
  }

  private void stopped(ModelNode node) {
    if (!repairing) {
      kill(node, false);
    }
  }

  void cutPaths() {
    for (ModelConnection connection : List.copyOf(connections)) {
      if (random.nextBoolean()) {
        connection.cut("path lost");
      }
    }
  }

  void crashOrRestart(ModelNode node) {
    if (!node.isUp()) {
      node.start();
      trace(() -> "n" + node.index + " restarts");
      checkAfterRestart(node);
      return;
    }
    kill(node, random.nextBoolean());
  }

  void kill(ModelNode node, boolean power) {
    trace(() -> "n" + node.index + " dies" + (power ? " with its power" : ""));
    for (ModelConnection connection : connections) {
      if (connection.source == node || connection.target == node) {
        connection.cut("the other side died");
      }
    }
    fences.died(node, power);
    node.crash(power);
    if (power) {
      history.powerLost();
    }
  }

  private void checkAfterRestart(ModelNode node) {
    if (node.isWholePrimary() && !promotions.everForced()) {
      Generations known = node.core.state().generations();
      fail(
          node,
          mode == LinkMode.SYNC
              ? history.violation(node.content(), known)
              : history.violationOfOwn(node.index, node.content(), known),
          "restarted primary");
    }
  }

  private void promote(ModelNode node) {
    promotions.promote(node);
  }

  boolean isCascade() {
    return cascade;
  }

  boolean isRepairing() {
    return repairing;
  }

  void fail(ModelNode node, String violation, String when) {
    if (violation != null) {
      throw new AssertionError("n" + node.index + " " + when + ": " + violation);
    }
  }

  private void demote(ModelNode node) {
    if (node.isUp() && node.core.isPrimary() && random.nextBoolean()) {
      node.core
          .administration()
          .demote(false, refusal -> trace(() -> "n" + node.index + " demoted: " + refusal));
    }
  }

  private void maintain(ModelNode node) {
    if (!node.isUp() || node.connections.length == 0) {
      return;
    }
    int link = random.nextInt(node.connections.length);
    LinkCommands commands = node.core.administration().links();
    String done =
        switch (random.nextInt(4)) {
          case 0 -> commands.verify(link, true);
          case 1 -> commands.resync(link, node.index > 0);
          case 2 -> {
            commands.pause(link);
            yield null;
          }
          default -> {
            commands.resume(link);
            yield null;
          }
        };
    trace(() -> "n" + node.index + " maintains link " + link + ": " + done);
  }

  /** The end of the schedule: paths are up, and nobody is stopped any more. */
  void beginRepair() {
    repairing = true;
    promotions.beginRepair();
    pathsUp = true;
  }
}
