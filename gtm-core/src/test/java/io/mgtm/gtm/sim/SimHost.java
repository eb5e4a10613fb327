package io.mgtm.gtm.sim;

import io.mgtm.group.storage.SimulatedDisk;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

/** A machine: its disk and clocks outlive the process that runs on it. */
final class SimHost {
  /** How long a force takes at most, unless the disk is slow. */
  static final int FORCE_MS = 3;

  final World world;
  final String name;
  final SimClock clock;

  /** What planted faults remember of its gateway. */
  final FaultyLink.Memory sent = new FaultyLink.Memory();

  SimulatedDisk disk;
  UUID folder;
  String boot;

  /** The terms of its log's entries, as far as they were sent, for a planted fault. */
  final Map<Long, Long> terms = new HashMap<>();

  /** How long a force takes at most. */
  int forceMs = FORCE_MS;

  /** It may have lost what was not forced since it was in step last. */
  boolean mayHaveLost;

  /** Its next sync fails; what it has not forced counts as lost. */
  boolean failing;

  /** Its process is to die at its next effects. */
  boolean doomed;

  private SimProcess process;
  private final Deaths deaths;

  /** Told when a process has died. */
  interface Deaths {
    void died(SimHost host, SimProcess process);
  }

  SimHost(World world, String name, Deaths deaths) {
    this.world = world;
    this.name = name;
    this.deaths = deaths;
    this.clock = new SimClock(world);
    reboot();
    emptyDisk();
  }

  private void reboot() {
    boot = Long.toHexString(world.random.nextLong());
    clock.reboot();
  }

  /** Another disk is put in. */
  void emptyDisk() {
    disk = new SimulatedDisk(new Random(world.random.nextLong()));
    folder = new UUID(world.random.nextLong(), world.random.nextLong());
    terms.clear();
    mayHaveLost = false;
  }

  SimProcess process() {
    return process;
  }

  boolean isUp() {
    return process != null && process.isAlive();
  }

  void started(SimProcess now) {
    process = now;
  }

  /** The process dies; what it has stored stays. */
  void kill() {
    if (isUp()) {
      died(process);
    }
  }

  void died(SimProcess dead) {
    dead.die();
    doomed = false;
    disk.restartProcess();
    deaths.died(this, dead);
  }

  /** What was to die after so many steps does not. */
  void crashNot() {
    disk.crashAfter(-1);
    if (isUp()) {
      process.crashAfterEffects(-1);
    }
  }

  /** The machine dies. */
  void losePower() {
    world.trace("%s loses power", name);
    world.note(Happening.POWER_LOST);
    kill();
    disk.losePower();
    reboot();
    mayHaveLost = true;
  }
}
