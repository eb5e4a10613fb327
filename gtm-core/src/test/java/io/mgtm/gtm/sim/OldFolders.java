package io.mgtm.gtm.sim;

import io.mgtm.group.core.Role;
import io.mgtm.group.storage.SimulatedDisk;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * A member is started on an older copy of its folder, while a leader is there that knows better.
 */
abstract class OldFolders {
  final Simulation simulation;
  final World world;
  final SplittableRandom random;
  boolean underWay;

  OldFolders(Simulation simulation, long seed) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = new SplittableRandom(seed);
  }

  /** Those of a schedule; null for none. */
  static OldFolders of(Simulation simulation, long seed) {
    if (OlderCopies.areIn(simulation.scenario, seed)) {
      return new OlderCopies(simulation, seed);
    }
    return OlderWitness.isIn(simulation.scenario, seed) ? new OlderWitness(simulation, seed) : null;
  }

  abstract void begin();

  /** Whether a member that stops may do so. */
  boolean stops(SimHost stopping) {
    return false;
  }

  /** Whether nobody else is to be hurt. */
  final boolean isUnderWay() {
    return underWay;
  }

  final boolean isUnhurt(SimHost each) {
    return each.isUp() && !each.process().isPaused() && !each.mayHaveLost && !each.failing;
  }

  final void startAgain(SimHost of) {
    of.kill();
    world.afterMs(5, () -> simulation.startAgain(of));
  }

  final boolean leads(SimNode leader, long term) {
    return leader.isAlive()
        && leader.status().role() == Role.LEADER
        && leader.status().term() == term
        && !leader.status().transferring();
  }

  final SimulatedDisk diskOf(Map<String, byte[]> content) {
    SimulatedDisk disk = new SimulatedDisk(new Random(random.nextLong()));
    content.forEach(
        (name, bytes) -> {
          disk.write(name, bytes);
          disk.force(name);
        });
    disk.forceDirectory();
    return disk;
  }

  final void beginAgain() {
    if (world.nowMs() < simulation.scenario.faultsMs()) {
      begin();
    }
  }

  /** Lets others be hurt for a while, and begins again. */
  final void end() {
    simulation.network.release();
    world.afterMs(
        400,
        () -> {
          underWay = false;
          beginAgain();
        });
  }
}
