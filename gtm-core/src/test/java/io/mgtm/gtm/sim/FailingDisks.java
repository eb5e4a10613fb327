package io.mgtm.gtm.sim;

import io.mgtm.group.storage.PlantedStorage;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import java.util.SplittableRandom;

/** Disks that fail under a member: at a sync, or behind its back. */
final class FailingDisks {
  private final World world;
  private final SplittableRandom random;
  private final Unhurt unhurt;

  /** Of its own, so that old schedules stay as they were. */
  private final Random damages;

  /** A sync has failed them. */
  private final Set<String> broken = new HashSet<>();

  FailingDisks(Simulation simulation, SplittableRandom random, Unhurt unhurt, long seed) {
    this.world = simulation.world;
    this.random = random;
    this.unhurt = unhurt;
    this.damages = new Random(seed);
  }

  boolean areBroken(SimHost host) {
    return broken.contains(host.name);
  }

  void failSync(SimHost host) {
    if (unhurt.mayBeHurt(host)) {
      nextSyncFails(host);
    }
  }

  void nextSyncFails(SimHost host) {
    if (random.nextBoolean()) {
      world.trace("%s's next sync fails", host.name);
      world.note(Happening.SYNC_TO_FAIL);
      host.disk.failNextForce();
    } else {
      world.trace("%s could not write back some of what is dirty", host.name);
      world.note(Happening.WRITE_BACK_FAILED);
      host.disk.failToWriteBackSome();
    }
    host.failing = true;
    broken.add(host.name);
  }

  /** A process dies, and its log may be damaged meanwhile. */
  void kill(SimHost host) {
    if (damages.nextBoolean()) {
      killAndDamage(host);
    } else if (host.isUp()) {
      world.trace("kill %s", host.name);
      world.note(Happening.KILLED);
      host.kill();
    }
  }

  /** What the process wrote and did not sync is read wrongly at the next start. */
  void killAndDamage(SimHost host) {
    if (!host.isUp()) {
      return;
    }
    world.trace("kill %s", host.name);
    world.note(Happening.KILLED);
    boolean may = unhurt.mayBeHurt(host) && ((SimNode) host.process()).isOpen();
    host.kill();
    if (may && PlantedStorage.damageUnsynced(host.disk, host.folder, damages)) {
      world.trace("%s's log is damaged behind what it has synced", host.name);
      world.note(Happening.LOG_DAMAGED);
      host.mayHaveLost = true;
    }
  }
}
