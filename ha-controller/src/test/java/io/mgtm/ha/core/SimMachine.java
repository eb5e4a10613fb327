package io.mgtm.ha.core;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A machine: a clock of its own speed, a watchdog, resources, and a controller. */
final class SimMachine {
  private static final int LOOK_MS = 500;

  /** In one of so many schedules machines forget which incarnation they were. */
  private static final int FORGETFUL_OF = 7;

  private static final int FORGETFUL = 6;

  final Sim sim;
  final String name;
  final SimKits kits;

  /** Null while none runs. */
  SimProcess process;

  boolean up;
  boolean fenceable;
  private boolean holdsDown;
  private int boots;
  private long bootedAt;
  private double speed;
  private long clockAtBoot;
  private long incarnation = 1_000;
  private final Set<Long> sinceBoot = new HashSet<>();

  /** Of a machine that has lost its folder while its clock was behind. */
  private long lowIncarnation;

  private record Guard(long number, int guardMs) {}

  private final Map<String, Guard> guards = new HashMap<>();
  private long guardNumber;

  /** By hierarchy, when all is out after the last lease that any leader has granted; its clock. */
  private final Map<String, Long> leases = new HashMap<>();

  SimMachine(Sim sim, String name) {
    this.sim = sim;
    this.name = name;
    this.kits = new SimKits(this);
    this.fenceable = sim.oneIn(2);
    boot();
    sim.after(LOOK_MS, this::look);
  }

  /** Its monotonic clock: begins anew with each boot. */
  long clock() {
    return clockAtBoot + (long) ((sim.now() - bootedAt) * speed);
  }

  private long realTimeOf(long clock) {
    return bootedAt + (long) Math.ceil((clock - clockAtBoot) / speed);
  }

  void atClock(long clock, Runnable action) {
    int boot = boots;
    sim.at(
        realTimeOf(clock),
        () -> {
          if (up && boot == boots) {
            action.run();
          }
        });
  }

  private void boot() {
    boots++;
    up = true;
    bootedAt = sim.now();
    speed = 1 + sim.random.nextDouble() * SimConfigs.TIMING.driftPercent() / 100;
    clockAtBoot = sim.between(0, 3_000);
    sinceBoot.clear();
    leases.clear();
    if (boots > 1 && sim.seed % FORGETFUL_OF == FORGETFUL && sim.oneIn(3)) {
      lowIncarnation += 20;
      incarnation = lowIncarnation;
    }
    startController();
  }

  private void startController() {
    incarnation++;
    sinceBoot.add(incarnation);
    sim.trace("controller", incarnation, "of", name, "begins at clock", clock());
    process = new SimProcess(sim, this, incarnation);
  }

  /** All of it stops at once; it boots later, unless it is held down. */
  void crash() {
    if (!up) {
      return;
    }
    sim.trace(name, "crashes");
    up = false;
    if (process != null) {
      process.kill();
      process = null;
    }
    guards.clear();
    kits.powerOff();
    sim.after(
        sim.oneIn(3) ? sim.between(200, 1_000) : sim.between(500, 8_000),
        () -> {
          if (!up && !holdsDown) {
            boot();
          }
        });
  }

  void holdDown() {
    crash();
    holdsDown = true;
  }

  void release() {
    if (holdsDown) {
      holdsDown = false;
      boot();
    }
  }

  void killController() {
    if (process == null) {
      return;
    }
    sim.trace("controller of", name, "is killed");
    process.kill();
    kits.controllerDied(process);
    process = null;
    int boot = boots;
    sim.after(
        sim.between(100, 2_500),
        () -> {
          if (up && boot == boots && process == null) {
            startController();
          }
        });
  }

  /** Its controller ends, to count on above an earlier one. */
  void overtaken(long by) {
    incarnation = by + 1_000 + sim.between(0, 1_000_000);
    killController();
  }

  /** An operator has it check something now. */
  void check() {
    String hierarchy = sim.any(List.copyOf(sim.config.hierarchies().keySet()));
    String resource = sim.any(sim.config.hierarchies().get(hierarchy).bottomUp());
    if (process != null) {
      process.check(hierarchy, resource);
    }
  }

  /** What the watchdog is told. */
  void guard(String hierarchy, Set<String> resources, long deadline, int guardMs) {
    guardNumber++;
    if (guardMs <= 0) {
      throw sim.violation("the watchdog of " + name + " has no time to act in");
    }
    if (resources.isEmpty()) {
      guards.remove(hierarchy);
      return;
    }
    sim.trace(name, "guards", hierarchy, "until", deadline, "at clock", clock());
    Guard guard = new Guard(guardNumber, guardMs);
    guards.put(hierarchy, guard);
    atClock(
        deadline,
        () -> {
          if (guard.equals(guards.get(hierarchy))) {
            trip(hierarchy, guardMs);
          }
        });
  }

  private void trip(String hierarchy, int guardMs) {
    sim.trace("watchdog of", name, "ends", hierarchy);
    guards.remove(hierarchy);
    killController();
    int late = sim.plant == Plant.SLOW_WATCHDOG ? sim.between(2_000, 9_000) : 0;
    atClock(clock() + late + sim.between(0, guardMs), () -> kits.endAll(hierarchy));
  }

  /** Its controller has the newest configuration by now. */
  void configured() {
    if (process != null) {
      SimProcess now = process;
      now.run(now::configure);
    }
  }

  /** Whether it can be switched off without anybody noticing. */
  boolean isIdle() {
    return guards.isEmpty() && sim.config.hierarchies().keySet().stream().noneMatch(kits::has);
  }

  void leaseGranted(Grant grant) {
    if (sinceBoot.contains(grant.incarnation())) {
      for (String hierarchy : grant.orders().keySet()) {
        leases.merge(hierarchy, grant.sentAt() + grant.leaseMs() + grant.guardMs(), Math::max);
      }
    }
  }

  private void look() {
    sim.after(LOOK_MS, this::look);
    if (!up) {
      return;
    }
    for (String hierarchy : sim.config.hierarchies().keySet()) {
      if (kits.has(hierarchy) && clock() > leases.getOrDefault(hierarchy, Long.MIN_VALUE) + 5) {
        throw sim.violation(
            name
                + " has "
                + hierarchy
                + " in service at clock "
                + clock()
                + " without a lease "
                + leases);
      }
    }
  }
}
