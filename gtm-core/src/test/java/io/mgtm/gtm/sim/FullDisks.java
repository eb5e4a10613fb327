package io.mgtm.gtm.sim;

import java.util.SplittableRandom;
import java.util.function.Supplier;

/** Disks that are full for a while, in some schedules. */
final class FullDisks {
  /** A refusal may be under way for so long after the disk has room again. */
  private static final long REFUSED_MS = 4_000;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final boolean some;
  private long roomAtMs = -REFUSED_MS;

  FullDisks(Simulation simulation, SplittableRandom random) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = random;
    this.some = random.nextInt(3) == 0;
  }

  /** A leader's disk is full for long, since it is the one that stores something all the time. */
  void begin(Supplier<SimHost> leader) {
    if (some) {
      world.afterMs(random.nextInt(simulation.scenario.faultsMs() / 2), () -> fill(leader.get()));
    }
  }

  void fill(SimHost host) {
    if (some) {
      world.trace("%s's disk is full", host.name);
      world.note(Happening.DISK_FILLED);
      roomAtMs = Long.MAX_VALUE - REFUSED_MS;
      host.disk.setBytesMax(host.disk.usedBytes() + random.nextInt(4_000));
      world.afterMs(random.nextInt(4_000), this::haveRoom);
    }
  }

  void haveRoom() {
    roomAtMs = Math.min(roomAtMs, world.nowMs());
    simulation.hosts().values().forEach(this::hasRoom);
  }

  private void hasRoom(SimHost host) {
    if (host.disk.hasRefusedRoom()) {
      world.note(Happening.ROOM_LACKED);
    }
    host.disk.setBytesMax(Long.MAX_VALUE);
  }

  /** Whether one is full, or was lately. */
  boolean are() {
    return world.nowMs() - roomAtMs < REFUSED_MS;
  }
}
