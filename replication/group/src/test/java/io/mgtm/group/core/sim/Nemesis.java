package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.Role;
import io.mgtm.group.core.Standing;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws the faults of a schedule. */
final class Nemesis {
  private static final String SPARE = "g9";

  /** Within this a member leads that was handed the leadership, disks being slow. */
  private static final int SUCCESSION_MS = 1_500;

  private static final int MEETING_MS = 800;
  private final GroupSimulation world;
  private final SplittableRandom random;
  private final Pauses pauses;
  private final Lines lines;
  private final Unhurt unhurt;

  /** Whether a majority may lose power at once, so that what was not forced may be lost. */
  private final boolean harsh;

  private final boolean membershipChanges;
  private final int meanPauseMs;
  private boolean ended;

  private long lastRemovalMs = -1_000;

  /** Until then no process stands still: a leader stops in order. */
  private long quietUntilMs;

  Nemesis(GroupSimulation world) {
    this.world = world;
    this.random = world.random.split();
    this.pauses = new Pauses(world, random);
    this.lines = new Lines(world, random);
    this.unhurt = new Unhurt(world);
    this.harsh =
        random.nextInt(4) == 0
            || world.fault == Fault.REQUIRED_ACKNOWLEDGED_BEFORE_FORCE
            || world.fault == Fault.AHEAD_TAKEN_FOR_BUFFERED
            || world.fault == Fault.FOREIGN_DURABILITY;
    this.membershipChanges = random.nextInt(3) == 0;
    this.meanPauseMs = 20 + random.nextInt(200);
  }

  boolean isHarsh() {
    return harsh;
  }

  void begin() {
    if (harsh || world.isLazy()) {
      world.oracle.allowLoss();
    }
    boolean early = !world.isLazy() && world.witness.isEmpty() && random.nextInt(4) == 0;
    if (early) {
      hurtWhileMembersMeet();
    }
    world.after((early ? MEETING_MS : 0) + random.nextInt(600), this::act);
  }

  /** One does not hear another and is cut off, that one loses its disk, and a third dies. */
  private void hurtWhileMembersMeet() {
    List<SimNode> all = new ArrayList<>(world.nodes().values());
    SimNode cutOff = all.remove(random.nextInt(all.size()));
    SimNode emptied = all.remove(random.nextInt(all.size()));
    SimNode dies = all.remove(random.nextInt(all.size()));
    world.network.cut(emptied.name, cutOff.name);
    world.after(5 + random.nextInt(60), () -> cutOff(cutOff.name));
    int lostAtMs = random.nextInt(MEETING_MS - 100);
    world.after(lostAtMs, () -> emptyDiskOf(emptied));
    world.after(
        lostAtMs + random.nextInt(100),
        () -> {
          kill(dies, 800);
          world.network.heal();
        });
  }

  private void cutOff(String name) {
    for (String other : world.nodes().keySet()) {
      if (!other.equals(name)) {
        world.network.cut(name, other);
        world.network.cut(other, name);
      }
    }
  }

  private void act() {
    if (ended) {
      return;
    }
    if (world.isLazy()) {
      crashOnly();
      world.after(1 + random.nextInt(2 * meanPauseMs), this::act);
      return;
    }
    switch (random.nextInt(membershipChanges ? 14 : 11)) {
      case 0, 1 -> kill(leaderOr(anyone()));
      case 2 -> kill(anyone());
      case 3 -> powerCut(random.nextBoolean() ? leaderOr(anyone()) : anyone());
      case 4 -> emptyDisk(anyone());
      case 5 -> isolate(random.nextBoolean() ? leaderOr(anyone()) : anyone());
      case 6 -> split();
      case 7 -> world.network.heal();
      case 8 -> slowDisks();
      case 9 -> transfer();
      case 10 -> hint(leaderOr(anyone()).name); // a wrong one
      case 11 -> add();
      case 12 -> remove();
      default -> everythingDies();
    }
    if (harsh && random.nextInt(12) == 0) {
      everythingDies();
    }
    if (world.isMixed() && random.nextInt(8) == 0) {
      sayDurability();
    }
    world.after(1 + random.nextInt(2 * meanPauseMs), this::act);
  }

  /** Mode lazy promises nothing under a partition, so there is none. */
  private void crashOnly() {
    if (world.fault == Fault.AHEAD_TAKEN_FOR_BUFFERED && random.nextBoolean()) {
      powerCut(leaderOr(anyone())); // a leader's marks are lost by nothing else
      return;
    }
    if (!world.witness.isEmpty() && random.nextInt(3) == 0) {
      cutLines();
      return;
    }
    switch (random.nextInt(membershipChanges ? 14 : 12)) {
      case 0, 1, 2 -> kill(leaderOr(anyone()));
      case 3 -> kill(anyone());
      case 4 -> powerCut(random.nextBoolean() ? leaderOr(anyone()) : anyone());
      case 5 -> slowDisks();
      case 6, 7 -> transfer();
      case 8 -> everythingDies();
      case 9 -> stopInOrder();
      case 10, 11 -> pause(random.nextInt(3) > 0 ? leaderOr(anyone()) : anyone());
      case 12 -> add();
      default -> remove();
    }
  }

  private void cutLines() {
    boolean witness = random.nextInt(4) == 0;
    if (world.nowMs() <= quietUntilMs) {
      return;
    }
    if (witness) {
      lines.restartWitnessWithinThePromise(this::restart);
    } else {
      lines.cut(random.nextBoolean() ? leaderOr(anyone()) : anyone());
    }
  }

  private void pause(SimNode node) {
    // With pauses too few are in step for power cuts.
    if (world.nowMs() > quietUntilMs && world.fault != Fault.AHEAD_TAKEN_FOR_BUFFERED) {
      pauses.pause(node);
    }
  }

  private SimNode anyone() {
    List<SimNode> all = List.copyOf(world.nodes().values());
    return all.get(random.nextInt(all.size()));
  }

  private SimNode leaderOr(SimNode other) {
    SimNode leader = world.leader();
    return leader == null ? other : leader;
  }

  private void kill(SimNode node) {
    kill(node, 400);
  }

  private void kill(SimNode node, int downMsMax) {
    if (!node.alive) {
      return;
    }
    node.alive = false;
    world.trace("%s killed", node.self());
    if (world.isLazy()) {
      loseWhatWasSent(node);
      showGone(node);
    } else if (random.nextBoolean()) {
      hint(node.name);
    }
    world.after(random.nextInt(downMsMax), () -> restart(node));
  }

  private void restart(SimNode node) {
    if (world.node(node.name) == node) {
      world.start(node.name, node.disk);
      if (world.isLazy()) {
        pauses.restarted(node);
        showNewProcess(node.name);
      }
    }
  }

  /** With a process dies what its system had not sent yet, to each of the others another part. */
  private void loseWhatWasSent(SimNode node) {
    for (String other : world.nodes().keySet()) {
      node.lostAfterMs.put(other, world.nowMs() + random.nextInt(5));
    }
  }

  /** What the others' views say of a process that is started again. */
  private void showNewProcess(String name) {
    for (SimNode other : world.nodes().values()) {
      if (!other.name.equals(name)) {
        other.step(() -> other.core.peerDown(world.nowMs(), name));
        other.step(() -> other.core.peerUp(world.nowMs(), name));
      }
    }
  }

  private void showGone(SimNode node) {
    for (SimNode other : world.nodes().values()) {
      if (other != node) {
        world.after(
            1 + random.nextInt(30),
            () -> {
              if (world.node(node.name) == node) {
                other.step(() -> other.core.peerDown(world.nowMs(), node.name));
              }
            });
      }
    }
  }

  private void hint(String gone) {
    for (SimNode other : world.nodes().values()) {
      if (!other.name.equals(gone)) {
        world.after(
            1 + random.nextInt(10),
            () -> other.step(() -> other.core.peerDown(world.nowMs(), gone)));
      }
    }
  }

  private void powerCut(SimNode node) {
    boolean may = world.isLazy() ? areOthersUnhurt(node) : harsh || unhurt.isMajorityWithout(node);
    if (node.alive && may) {
      boolean sync = random.nextInt(3) == 0;
      world.trace(
          "%s %s, last %d durable %d",
          node.self(), sync ? "fails to sync" : "loses power", node.disk.last(), node.disk.durable);
      if (sync) {
        node.disk.failSync(world.random);
      } else {
        node.disk.powerCut(world.random);
      }
      kill(node);
    }
  }

  private boolean areOthersUnhurt(SimNode next) {
    return world.nodes().values().stream()
        .allMatch(
            node -> node == next || (node.alive && (node.isWitness() || node.core.isInStep())));
  }

  private void emptyDisk(SimNode node) {
    if (unhurt.isMajorityWithout(node)
        && world.nowMs() - lastRemovalMs > 400
        && (world.witness.isEmpty() || node.isWitness() || (!harsh && unhurt.isCopied(node)))) {
      emptyDiskOf(node);
    }
  }

  private void emptyDiskOf(SimNode node) {
    if (node.alive) {
      node.alive = false;
      node.doomed = true;
      world.trace("%s dies, its folder will be empty", node.self());
      SimDisk empty =
          new SimDisk(
              world.fault == Fault.EMPTIED_FOLDER_KEEPS_ITS_IDENTITY
                  ? node.disk.folder
                  : new java.util.UUID(random.nextLong(), random.nextLong()));
      world.after(random.nextInt(300), () -> replace(node, empty));
    }
  }

  private void replace(SimNode node, SimDisk empty) {
    if (world.node(node.name) == node) {
      world.start(node.name, empty);
    }
  }

  private void everythingDies() {
    world.trace("everything dies");
    boolean power = harsh && !world.isLazy() && random.nextBoolean();
    for (SimNode node : List.copyOf(world.nodes().values())) {
      if (node.alive) {
        if (power) {
          node.disk.powerCut(world.random);
        }
        kill(node);
      }
    }
  }

  private void sayDurability() {
    SimNode leader = world.leader();
    if (leader != null) {
      DurabilityMode mode = random.nextBoolean() ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
      leader.step(() -> leader.core.durability(mode));
    }
  }

  private void isolate(SimNode node) {
    world.trace("%s isolated", node.self());
    world.network.cutClients(node.name);
    int how = random.nextInt(3);
    if (random.nextBoolean()) {
      hint(node.name); // as a failure detection does that sees the cut
    }
    List<String> others = new ArrayList<>(world.nodes().keySet());
    others.remove(node.name);
    world.network.cut(List.of(node.name), others, how != 1, how != 2);
    world.after(random.nextInt(700), world.network::heal);
  }

  private void split() {
    world.trace("split");
    List<String> one = new ArrayList<>();
    List<String> two = new ArrayList<>();
    world.nodes().keySet().forEach(name -> (random.nextBoolean() ? one : two).add(name));
    world.network.cut(one, two, true, true);
    world.after(random.nextInt(700), world.network::heal);
  }

  private void slowDisks() {
    world.nodes().keySet().forEach(name -> world.slowDisk(name, random.nextInt(150)));
    world.after(random.nextInt(600), world::disksAreFast);
  }

  private void transfer() {
    SimNode leader = world.leader();
    if (leader != null) {
      leader.step(() -> leader.core.transfer(world.nowMs(), anyone().name));
    }
  }

  /** A leader hands over and goes; whom it has chosen must lead without its return. */
  private void stopInOrder() {
    SimNode leader = world.leader();
    SimNode successor = anyone();
    boolean whole = lines.areWhole();
    if (!whole || !pauses.isQuiet() || leader == null || successor == leader || !successor.alive) {
      return;
    }
    boolean[] begun = {false};
    leader.step(() -> begun[0] = leader.core.transfer(world.nowMs(), successor.name).isEmpty());
    if (begun[0]) {
      quietUntilMs = world.nowMs() + SUCCESSION_MS + 500;
      world.trace("%s is to stop, %s to lead", leader.self(), successor.self());
      goOnceHandedOver(leader, successor);
    }
  }

  private void goOnceHandedOver(SimNode leader, SimNode successor) {
    if (!leader.alive) {
      return;
    }
    if (leader.core.isTransferring()) {
      world.after(1, () -> goOnceHandedOver(leader, successor));
    } else if (leader.core.role() != Role.LEADER) {
      leader.alive = false;
      world.trace("%s has handed over and stops", leader.self());
      loseWhatWasSent(leader);
      showGone(leader);
      awaitSuccessor(leader, successor, world.nowMs() + SUCCESSION_MS);
    }
  }

  private void awaitSuccessor(SimNode stopped, SimNode successor, long untilMs) {
    boolean same = world.node(successor.name) == successor && successor.alive;
    if (same && world.leader() == null) {
      check(world.nowMs() < untilMs, "%s leads nobody after a transfer", successor.self());
      world.after(10, () -> awaitSuccessor(stopped, successor, untilMs));
    } else {
      restart(stopped);
    }
  }

  private void add() {
    if (world.node(SPARE) == null) {
      world.startNew(SPARE);
    }
    SimNode leader = world.leader();
    if (leader != null) {
      leader.step(() -> leader.core.add(anyone().name));
    }
  }

  private void remove() {
    SimNode leader = world.leader();
    boolean allWell =
        world.nodes().values().stream()
            .allMatch(
                node -> node.alive && !node.doomed && node.core.standing() == Standing.INTACT);
    if (leader != null && world.isLazy()) {
      SimNode chosen = anyone();
      if (!chosen.isWitness()) { // without it nothing is promised when a line is cut
        leader.step(() -> leader.core.remove(chosen.name));
      }
    } else if (leader != null
        && allWell
        && leader.core.membership().voters().stream()
            .allMatch(voter -> voter.equals(world.node(voter.name()).self()))
        && leader.core.membership().voters().size() > 2) {
      world.trace("remove");
      lastRemovalMs = world.nowMs();
      leader.step(() -> leader.core.remove(anyone().name));
    }
  }

  /** Ends all faults; everyone who died is started again, as an operator would. */
  void end() {
    ended = true;
    world.network.heal(true);
    world.disksAreFast();
  }

  /** Whether everyone is up; members that stopped for what was lost start anew, empty. */
  boolean isSettled() {
    boolean settled = true;
    for (SimNode node : List.copyOf(world.nodes().values())) {
      if (node.core.isStopped() && node.alive) {
        node.alive = false;
        world.startNew(node.name);
        settled = false;
      }
      settled &= node.alive;
    }
    return settled && world.leader() != null;
  }
}
