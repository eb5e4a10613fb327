package io.mgtm.gtm.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.net.Transport;
import io.mgtm.group.quorumdisk.SimulatedQuorumDisk;
import java.util.List;
import java.util.UUID;

/** The quorum disk of a pair. What it does takes some time, now and then a long one. */
final class SimDisk {
  private static final long USUALLY_MS = 2;
  private static final long LONG_MS = 400;

  private final Simulation simulation;
  private final World world;
  private final SimulatedQuorumDisk disk;

  SimDisk(Simulation simulation) {
    this.simulation = simulation;
    world = simulation.world;
    disk =
        new SimulatedQuorumDisk(
            new UUID(world.random.nextLong(), world.random.nextLong()),
            List.of("g1", "g2"),
            simulation.scenario.fault().ofQuorumDisk());
  }

  /** The way of a node to the other and to the disk. */
  Transport transport(SimNode node) {
    return disk.transport(
        simulation.network.transport(node),
        new MemberId(node.host.name, node.host.folder),
        simulation.configuredFor(node.host.name),
        simulation.core,
        node::after,
        () -> node.host.clock.nanos() / World.MS,
        new Place(node));
  }

  private final class Place implements SimulatedQuorumDisk.World {
    private final SimNode node;

    Place(SimNode node) {
      this.node = node;
    }

    @Override
    public void later(Runnable task) {
      boolean late = world.oneIn(20);
      if (late) {
        world.note(Happening.QUORUM_DISK_LATE);
      }
      world.after(world.some((late ? LONG_MS : USUALLY_MS) * World.MS), task);
    }

    @Override
    public void muchLater(Runnable task) {
      world.after(world.some(LONG_MS * World.MS), task);
    }

    @Override
    public boolean isRenewed() {
      return world.oneIn(4);
    }

    @Override
    public boolean isAlive() {
      return node.isAlive();
    }
  }
}
