package io.mgtm.gtm.sim;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;

/** Draws the faults of a schedule, within what the mode promises to survive. */
final class Nemesis {
  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;

  private final Cuts cuts;
  private final Lines lines;
  private final Unhurt unhurt;
  private final FailingDisks disks;
  private final Handover handover;
  private final Deaths deaths;
  private final Operator operator;
  private final LostWitness lostWitness;

  /** Null for none, as {@link #copies} is. */
  private final AcceptedLoss accepted;

  private final OldFolders copies;

  private final int meanPauseMs;
  private final boolean clocksDiffer;
  private final FullDisks full;

  /** Mode lazy without a witness: members on another disk that are not in step yet. */
  private final Set<String> replaced = new HashSet<>();

  private boolean ended;

  /** That of a schedule; the copies are null for none. */
  Nemesis(Simulation simulation, OldFolders copies, long seed) {
    this.simulation = simulation;
    this.copies = copies;
    this.world = simulation.world;
    this.random = world.random.split();
    this.cuts = new Cuts(simulation, random);
    this.lines = new Lines(simulation, random);
    this.unhurt = new Unhurt(simulation, lines);
    this.disks = new FailingDisks(simulation, random, unhurt, seed);
    this.handover = new Handover(simulation);
    this.deaths = new Deaths(simulation, random, handover);
    this.operator = new Operator(simulation, random, unhurt);
    this.meanPauseMs = 20 + random.nextInt(200);
    this.clocksDiffer = random.nextInt(3) == 0;
    this.full = new FullDisks(simulation, random);
    this.accepted =
        simulation.scenario.lossAccepted() ? new AcceptedLoss(simulation, random, unhurt) : null;
    Consumer<SimHost> lost = simulation.scenario.isLazy() ? this::replaceDisk : this::emptyDisk;
    this.lostWitness = new LostWitness(simulation, seed, unhurt, lines, lost);
  }

  void begin() {
    if (clocksDiffer) {
      simulation.hosts().values().forEach(host -> host.clock.drift(random));
      world.note(Happening.CLOCK_DRIFTED);
    }
    if (simulation.scenario.fault().isOfLoss()) {
      simulation.hosts().values().forEach(host -> host.forceMs = 60);
    }
    if (copies != null) {
      copies.begin();
    }
    if (accepted != null) {
      accepted.begin();
    }
    full.begin(this::leader);
    Scenario of = simulation.scenario;
    int early = of.fault() == Fault.STALE_INTRODUCTION ? 2 : 8;
    if (!of.isLazy() && !of.witnessed() && of.size() > 1 && random.nextInt(early) == 0) {
      cuts.earlyAmnesia(this::emptyDisk);
      world.afterMs(1_500, this::act);
    } else {
      world.afterMs(random.nextInt(600), this::act);
    }
  }

  private void act() {
    if (ended) {
      return;
    }
    if (simulation.scenario.isLazy()) {
      crashOnly();
    } else if (copies == null || !copies.isUnderWay()) {
      actAny();
    }
    world.afterMs(1 + random.nextInt(2 * meanPauseMs), this::act);
  }

  private void actAny() {
    if (simulation.mostlyReads && random.nextInt(4) == 0) {
      cuts.depose(leader());
      return;
    }
    Fault fault = simulation.scenario.fault();
    if (fault.isOfLoss() && random.nextInt(6) == 0) {
      deaths.everythingDies(true);
      return;
    }
    if (fault == Fault.FAILED_SYNC_FORGOTTEN && random.nextInt(3) == 0) {
      disks.failSync(leaderOr(anyone()));
      return;
    }
    if (fault == Fault.DAMAGE_NOT_NOTICED && random.nextInt(3) == 0) {
      disks.killAndDamage(leaderOr(anyone()));
      return;
    }
    if (fault == Fault.EMPTIED_FOLDER_KEEPS_ITS_IDENTITY && random.nextInt(3) == 0) {
      emptyDisk(leaderOr(anyone()));
      return;
    }
    switch (random.nextInt(20)) {
      case 0, 1 -> deaths.kill(leaderOr(anyone()));
      case 2 -> disks.kill(anyone());
      case 3 -> powerCut(leaderOr(anyone()));
      case 4 -> disks.failSync(leaderOr(anyone()));
      case 5 -> emptyDisk(anyone());
      case 6 -> cuts.isolate(leaderOr(anyone()));
      case 7 -> cutLeader();
      case 8 -> cuts.split();
      case 9 -> simulation.network.heal();
      case 10, 11 -> deaths.crashSoon(leaderOr(anyone()));
      case 12, 13 -> deaths.pause(leaderOr(anyone()));
      case 14 -> wrongHint();
      case 15 -> deaths.everythingDies(simulation.scenario.harsh() && random.nextBoolean());
      case 16 -> operator.changeMembers(anyone());
      default -> disturb();
    }
  }

  /**
   * Mode lazy promises nothing under a partition, so there is none; nor when another dies before
   * those that are left have taken out one that lost its disk.
   */
  private void crashOnly() {
    replaced.removeIf(name -> simulation.node(name).isInStep());
    if (!replaced.isEmpty()) {
      disturb();
      return;
    }
    int cutsOf3 = simulation.scenario.fault().isOfWitness() ? 2 : 1;
    if (simulation.scenario.witnessed() && random.nextInt(3) < cutsOf3) {
      cutLines();
      return;
    }
    boolean inOrder = simulation.scenario.fault() == Fault.SUCCESSOR_NOT_IN_STEP;
    switch (inOrder && random.nextBoolean() ? 14 : random.nextInt(20)) {
      case 0, 1, 2 -> deaths.killWithProxy(leader());
      case 3 -> deaths.kill(anyone());
      case 4, 5 -> deaths.crashSoon(leaderOr(anyone()));
      case 6 -> hurt(leaderOr(anyone()));
      case 7 -> deaths.everythingDies(false);
      case 8, 9, 10, 11 -> deaths.pause(leaderOr(anyone()));
      case 12 -> replaceDisk(random.nextBoolean() ? leaderOr(anyone()) : anyone());
      case 13 -> operator.changeMembers(anyone());
      case 14, 15 -> stopInOrder();
      default -> disturb();
    }
  }

  private void stopInOrder() {
    SimNode leader = simulation.leader();
    // Beside one whose disk was lost it would be the second of three that goes.
    boolean votes = simulation.witness.isEmpty() || simulation.node(simulation.witness).isInStep();
    if (leader != null && votes && simulation.views.isQuiet() && lines.areWhole()) {
      List<SimHost> others =
          simulation.hosts().values().stream().filter(host -> host != leader.host).toList();
      handover.begin(leader, others.get(random.nextInt(others.size())));
    }
  }

  /** What a witness is there for. */
  private void cutLines() {
    if (handover.isUnderWay()) {
      return;
    }
    SimHost witness = simulation.hosts().get(simulation.witness);
    Fault fault = simulation.scenario.fault();
    boolean alone =
        fault == Fault.LEADER_GOES_ON_AFTER_ITS_LEASE
            || fault == Fault.LEADER_GOES_ON_WITHOUT_THE_WITNESS;
    if (alone || random.nextInt(3) == 0) {
      lines.cutOff(leader(), witness);
    } else {
      lines.cut(leaderOr(anyone()));
    }
  }

  /** What nobody may notice. */
  private void disturb() {
    if (random.nextInt(6) == 0) {
      operator.sayDurability();
    }
    switch (random.nextInt(6)) {
      case 0 -> deaths.slowDisks();
      case 1 -> operator.transfer(anyone());
      case 2 -> cuts.breakWires();
      case 3 -> stepClocks();
      case 4 -> full.fill(anyone());
      default -> deaths.disturbProxy();
    }
  }

  private SimHost anyone() {
    List<SimHost> all = List.copyOf(simulation.hosts().values());
    return all.get(random.nextInt(all.size()));
  }

  private SimHost leader() {
    SimNode leader = simulation.leader();
    return leader == null ? anyone() : leader.host;
  }

  private SimHost leaderOr(SimHost other) {
    return random.nextBoolean() ? leader() : other;
  }

  private void hurt(SimHost host) {
    if (unhurt.mayLose(host)) {
      if (random.nextBoolean()) {
        host.losePower();
      } else {
        disks.nextSyncFails(host);
      }
    }
  }

  private void replaceDisk(SimHost host) {
    if (!handover.isUnderWay() && unhurt.mayBeEmptied(host)) {
      world.trace("%s dies, its folder will be empty", host.name);
      noteEmptied(host);
      host.kill();
      host.emptyDisk();
      if (!simulation.scenario.witnessed()) {
        replaced.add(host.name);
      }
      lostWitness.leaveOut(host);
      simulation.hosts().values().forEach(SimHost::crashNot);
    }
  }

  private void noteEmptied(SimHost host) {
    boolean its = host.name.equals(simulation.witness);
    world.note(its ? Happening.WITNESS_EMPTIED : Happening.DISK_EMPTIED);
  }

  /** A node's process has ended. */
  void died(SimHost host, SimProcess dead) {
    host.mayHaveLost |= host.failing;
    host.failing = false;
    if (simulation.scenario.isLazy()) {
      host.mayHaveLost = true;
      simulation.views.died(host, dead);
    } else {
      simulation.network.hint(host.name);
    }
    world.afterMs(
        random.nextInt(400),
        () -> {
          if (!handover.keepsDown(host)) {
            simulation.startAgain(host);
          }
        });
  }

  private void powerCut(SimHost host) {
    if (unhurt.mayBeHurt(host)) {
      host.losePower();
    }
  }

  /** The machine gets another disk; before the group is founded too. */
  private void emptyDisk(SimHost host) {
    boolean spared = copies != null && copies.isUnderWay();
    if (!spared && unhurt.isMinorityHurt(host) && unhurt.isCopied(host)) {
      world.trace("%s dies, its folder will be empty", host.name);
      noteEmptied(host);
      UUID was = host.folder;
      host.kill();
      host.emptyDisk();
      host.mayHaveLost = true;
      if (simulation.scenario.fault() == Fault.EMPTIED_FOLDER_KEEPS_ITS_IDENTITY) {
        host.folder = was;
      }
    }
  }

  /** A member has everything again. */
  void inStep(SimNode node) {
    node.host.mayHaveLost = false;
  }

  private void cutLeader() {
    if (random.nextBoolean()) {
      cuts.isolate(leaderOr(anyone()));
    } else {
      cuts.depose(leader());
    }
  }

  private void wrongHint() {
    world.note(Happening.WRONGLY_SUSPECTED);
    simulation.network.hint(leader().name);
  }

  private void stepClocks() {
    // A member that seems to have stood still does not lead alone when the other lost its disk.
    if (clocksDiffer && replaced.isEmpty()) {
      SimHost host = anyone();
      world.trace("%s's clocks step", host.name);
      host.clock.disturb(random);
      world.note(Happening.CLOCK_STEPPED);
    }
  }

  /** Ends all faults; everyone who died is started again, as an operator would. */
  void end() {
    world.trace("calm");
    ended = true;
    simulation.network.healForGood();
    deaths.disksAreFast();
    full.haveRoom();
  }

  boolean isSettled() {
    return simulation.hosts().values().stream().allMatch(SimHost::isUp)
        && simulation.leader() != null;
  }

  /** A node cannot go on: its disk has failed, is full, or holds what the group has lost. */
  void stopped(SimNode node, LogException cause) {
    SimHost host = node.host;
    boolean noRoom = cause.category() == Category.NO_SPACE && full.are();
    // What could not be written back may be read again before a force tells of it.
    boolean damaged = cause.getMessage().contains("is damaged");
    boolean group = simulation.scenario.size() > 1;
    boolean corrupt = cause.category() == Category.CORRUPT && !damaged;
    boolean diverged = group && corrupt && hasLost(host);
    boolean failed = (damaged || cause.category() == Category.IO) && disks.areBroken(host);
    boolean may = noRoom || diverged || failed || (copies != null && copies.stops(host));
    world.check(may, "%s stops: %s", host.name, cause.getMessage());
    if (failed) {
      world.note(Happening.SYNC_FAILED);
    }
    host.kill();
    if (failed && random.nextBoolean()) {
      deaths.kill(leader()); // what the other had and did not force may count now
    }
    if (diverged) {
      world.note(Happening.STOPPED_FOR_LOSS);
      host.emptyDisk();
      host.mayHaveLost = true;
    }
  }

  private boolean hasLost(SimHost host) {
    if (simulation.logs.losses() > 0) {
      return true;
    }
    // The leader that goes on without it may not serve yet, and says so when it does.
    boolean awaited = simulation.scenario.harsh() && accepted == null;
    if (awaited) {
      simulation.logs.expectLoss(host.name);
    }
    return awaited || (accepted != null && accepted.explains(host));
  }

  /** Whether nothing may be lost though there is but one copy. */
  boolean isAllForced() {
    return operator.isAllForced();
  }

  boolean mayRefuse(String message) {
    return full.are() && message.contains("cannot store anything now");
  }

  DurabilityMode durability() {
    return operator.durability();
  }
}
