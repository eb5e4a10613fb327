package io.mgtm.gtm.sim;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/** Draws the faults of a schedule, within what the mode promises to survive. */
final class Nemesis {
  private static final String SPARE = "g9";

  /** A refusal may be under way for so long after the disk has room again. */
  private static final long REFUSED_MS = 4_000;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Cuts cuts;
  private final int meanPauseMs;
  private final boolean membershipChanges;
  private final boolean clocksDiffer;
  private final boolean mixedDurability;
  private final boolean fullDisks;

  /** Their next sync fails; what they have not forced counts as lost. */
  private final Set<SimHost> failing = new HashSet<>();

  /** A sync has failed them. */
  private final Set<String> broken = new HashSet<>();

  /** Mode lazy: members on another disk that are not in step yet. */
  private final Set<String> replaced = new HashSet<>();

  private long roomAtMs = -REFUSED_MS;
  private long lastRemovalMs = -1_000;
  private boolean ended;

  Nemesis(Simulation simulation) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = world.random.split();
    this.cuts = new Cuts(simulation, random);
    this.meanPauseMs = 20 + random.nextInt(200);
    this.membershipChanges = random.nextInt(3) == 0;
    this.clocksDiffer = random.nextInt(3) == 0;
    this.mixedDurability = random.nextInt(4) == 0;
    this.fullDisks = random.nextInt(4) == 0;
  }

  void begin() {
    if (clocksDiffer) {
      simulation.hosts().values().forEach(host -> host.clock.drift(random));
    }
    if (!simulation.scenario.isLazy() && random.nextInt(8) == 0) {
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
    } else {
      actAny();
    }
    world.afterMs(1 + random.nextInt(2 * meanPauseMs), this::act);
  }

  private void actAny() {
    if (simulation.mostlyReads && random.nextInt(4) == 0) {
      cuts.depose(leader());
      return;
    }
    switch (random.nextInt(20)) {
      case 0, 1 -> kill(leaderOr(anyone()));
      case 2 -> kill(anyone());
      case 3 -> powerCut(leaderOr(anyone()));
      case 4 -> failSync(leaderOr(anyone()));
      case 5 -> emptyDisk(anyone());
      case 6 -> cuts.isolate(leaderOr(anyone()));
      case 7 -> cutLeader();
      case 8 -> cuts.split();
      case 9 -> simulation.network.heal();
      case 10, 11 -> crashSoon(leaderOr(anyone()));
      case 12, 13 -> pause(leaderOr(anyone()));
      case 14 -> wrongHint();
      case 15 -> everythingDies();
      case 16 -> changeMembers();
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
    switch (random.nextInt(18)) {
      case 0, 1, 2 -> kill(leader());
      case 3 -> kill(anyone());
      case 4, 5 -> crashSoon(leaderOr(anyone()));
      case 6 -> hurt(leaderOr(anyone()));
      case 7 -> everythingDies();
      case 8, 9, 10, 11 -> pause(leaderOr(anyone()));
      case 12 -> replaceDisk(leaderOr(anyone()));
      default -> disturb();
    }
  }

  /** What nobody may notice. */
  private void disturb() {
    switch (random.nextInt(6)) {
      case 0 -> slowDisks();
      case 1 -> transfer();
      case 2 -> breakWires();
      case 3 -> stepClocks();
      case 4 -> fillDisk(anyone());
      default -> killProxy();
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

  private void kill(SimHost host) {
    if (host.isUp()) {
      world.trace("kill %s", host.name);
      host.kill();
    }
  }

  /** In mode lazy power may fail for one at a time, while the others are in step. */
  private boolean mayLose(SimHost next) {
    return next.isUp()
        && simulation.views.isQuiet()
        && simulation.hosts().values().stream()
            .allMatch(
                host ->
                    host == next
                        || (simulation.node(host.name).isInStep() && !failing.contains(host)));
  }

  private void hurt(SimHost host) {
    if (mayLose(host)) {
      if (random.nextBoolean()) {
        host.losePower();
      } else {
        nextSyncFails(host);
      }
    }
  }

  private void replaceDisk(SimHost host) {
    if (mayLose(host)) {
      world.trace("%s dies, its folder will be empty", host.name);
      host.kill();
      host.emptyDisk();
      replaced.add(host.name);
    }
  }

  /** A node's process has ended. */
  void died(SimHost host, SimProcess dead) {
    if (failing.remove(host)) {
      host.mayHaveLost = true;
    }
    if (simulation.scenario.isLazy()) {
      host.mayHaveLost = true;
      simulation.views.died(host, dead);
    } else if (random.nextBoolean()) {
      simulation.network.tellDown(host.name, 10);
    }
    world.afterMs(random.nextInt(400), () -> restart(host));
  }

  private void restart(SimHost host) {
    if (!host.isUp() && simulation.hosts().get(host.name) == host) {
      simulation.start(host.name);
    }
  }

  private void powerCut(SimHost host) {
    if (mayBeHurt(host)) {
      host.losePower();
    }
  }

  private boolean mayBeHurt(SimHost host) {
    return host.isUp() && (simulation.scenario.harsh() || isMinorityHurt(host));
  }

  private void failSync(SimHost host) {
    if (mayBeHurt(host)) {
      nextSyncFails(host);
    }
  }

  private void nextSyncFails(SimHost host) {
    world.trace("%s's next sync fails", host.name);
    host.disk.failNextForce();
    failing.add(host);
    broken.add(host.name);
  }

  /** The machine gets another disk; before the group is founded too. */
  private void emptyDisk(SimHost host) {
    if (isMinorityHurt(host)) {
      world.trace("%s dies, its folder will be empty", host.name);
      host.kill();
      host.emptyDisk();
      host.mayHaveLost = true;
    }
  }

  /** Whether a majority of the voters would stay unhurt if this one were hurt too. */
  private boolean isMinorityHurt(SimHost next) {
    if (world.nowMs() - lastRemovalMs < 600) {
      return false; // Not all know yet who is left.
    }
    SimNode leader = simulation.leader();
    if (leader == null && simulation.logs.everLed()) {
      return false;
    }
    List<String> voters = leader == null ? simulation.configuredFor("g1") : leader.voters();
    long unhurt =
        simulation.hosts().values().stream()
            .filter(
                host ->
                    host != next
                        && !host.mayHaveLost
                        && !failing.contains(host)
                        && voters.contains(host.name))
            .count();
    return unhurt > Math.max(voters.size(), simulation.founders()) / 2;
  }

  /** A member has everything again. */
  void inStep(SimNode node) {
    node.host.mayHaveLost = false;
  }

  private void everythingDies() {
    boolean power = simulation.scenario.harsh() && random.nextBoolean();
    world.trace("everything dies, power %s", power);
    for (SimHost host : List.copyOf(simulation.hosts().values())) {
      if (power) {
        host.losePower();
      } else {
        host.kill();
      }
    }
  }

  private void pause(SimHost host) {
    if (host.isUp()) {
      int ms = 1 + random.nextInt(random.nextBoolean() ? 60 : 600);
      host.process().pause(ms);
      if (simulation.scenario.isLazy()) {
        simulation.views.paused(host.process(), ms);
      }
    }
  }

  private void crashSoon(SimHost host) {
    if (!host.isUp()) {
      return;
    }
    if (random.nextBoolean()) {
      host.disk.crashAfter(random.nextInt(30));
    } else {
      host.process().crashAfterEffects(random.nextInt(60));
    }
  }

  private void cutLeader() {
    if (random.nextBoolean()) {
      cuts.isolate(leaderOr(anyone()));
    } else {
      cuts.depose(leader());
    }
  }

  private void wrongHint() {
    simulation.network.tellDown(leader().name, 10);
  }

  private void slowDisks() {
    simulation.hosts().values().forEach(host -> host.forceMs = 1 + random.nextInt(150));
    world.afterMs(random.nextInt(600), this::disksAreFast);
  }

  private void disksAreFast() {
    simulation.hosts().values().forEach(host -> host.forceMs = 3);
  }

  private void breakWires() {
    for (GatewayWire wire : List.copyOf(simulation.wires)) {
      if (random.nextInt(4) == 0) {
        wire.breakNow("the connection was reset");
      }
    }
  }

  private void stepClocks() {
    if (clocksDiffer) {
      anyone().clock.disturb(random);
    }
  }

  private void fillDisk(SimHost host) {
    if (fullDisks) {
      world.trace("%s's disk is full", host.name);
      roomAtMs = Long.MAX_VALUE - REFUSED_MS;
      host.disk.setBytesMax(host.disk.usedBytes() + random.nextInt(20_000));
      world.afterMs(random.nextInt(800), this::disksHaveRoom);
    }
  }

  private void disksHaveRoom() {
    roomAtMs = Math.min(roomAtMs, world.nowMs());
    simulation.hosts().values().forEach(host -> host.disk.setBytesMax(Long.MAX_VALUE));
  }

  private void killProxy() {
    List<SimHost> proxies = List.copyOf(simulation.proxyHosts().values());
    SimHost host = proxies.get(random.nextInt(proxies.size()));
    if (host.isUp() && random.nextInt(3) == 0) {
      world.trace("%s is killed", host.name);
      host.kill();
      world.afterMs(random.nextInt(500), () -> simulation.startProxy(host));
    }
  }

  private void transfer() {
    SimNode leader = simulation.leader();
    if (leader != null) {
      SimHost to = anyone();
      leader.owner.execute(() -> leader.admin().transfer(to.name));
    }
  }

  private void changeMembers() {
    SimNode leader = simulation.leader();
    if (!membershipChanges || leader == null) {
      return;
    }
    if (simulation.node(SPARE) == null) {
      simulation.startNew(SPARE);
    }
    SimHost of = anyone();
    if (random.nextBoolean()) {
      leader.owner.execute(() -> leader.admin().add(of.name));
    } else if (isWell() && leader.voters().size() > 2) {
      world.trace("%s is to be removed", of.name);
      lastRemovalMs = world.nowMs();
      leader.owner.execute(() -> leader.admin().remove(of.name));
    }
  }

  private boolean isWell() {
    return simulation.hosts().values().stream().allMatch(h -> h.isUp() && !h.mayHaveLost);
  }

  /** Ends all faults; everyone who died is started again, as an operator would. */
  void end() {
    world.trace("calm");
    ended = true;
    simulation.network.healForGood();
    disksAreFast();
    disksHaveRoom();
  }

  /** Whether everyone is up. */
  boolean isSettled() {
    return simulation.hosts().values().stream().allMatch(SimHost::isUp)
        && simulation.leader() != null;
  }

  /** A node cannot go on: its disk has failed, is full, or holds what the group has lost. */
  void stopped(SimNode node, LogException cause) {
    SimHost host = node.host;
    boolean full = cause.category() == Category.NO_SPACE && isFull();
    boolean diverged = cause.category() == Category.CORRUPT && simulation.logs.losses() > 0;
    boolean failed = cause.category() == Category.IO && broken.contains(host.name);
    world.check(full || diverged || failed, "%s stops: %s", host.name, cause.getMessage());
    host.kill();
    if (diverged) {
      host.emptyDisk();
    }
  }

  private boolean isFull() {
    return world.nowMs() - roomAtMs < REFUSED_MS;
  }

  boolean mayRefuse(String message) {
    return isFull() && message.contains("cannot store anything now");
  }

  DurabilityMode durabilityOf(String name) {
    boolean mixed = mixedDurability;
    return mixed && random.nextBoolean() ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
  }
}
