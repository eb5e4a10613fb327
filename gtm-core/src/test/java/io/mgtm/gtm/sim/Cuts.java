package io.mgtm.gtm.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.function.Consumer;

/** Faults of the network between members and gateways. */
final class Cuts {
  private final Simulation simulation;
  private final MemberNetwork network;
  private final SplittableRandom random;

  Cuts(Simulation simulation, SplittableRandom random) {
    this.simulation = simulation;
    this.network = simulation.network;
    this.random = random;
  }

  /** Some or all of what a member says or hears is lost. */
  void isolate(SimHost host) {
    simulation.world.trace("%s isolated", host.name);
    simulation.world.note(Happening.ISOLATED);
    int how = random.nextInt(3);
    if (random.nextBoolean()) {
      network.tellDown(host.name, 10); // as a failure detection does that sees the cut
    }
    for (String other : simulation.names()) {
      if (!other.equals(host.name)) {
        if (how != 1) {
          network.cut(host.name, other);
        }
        if (how != 2) {
          network.cut(other, host.name);
        }
      }
    }
    for (String proxy : simulation.proxyHosts().keySet()) {
      switch (random.nextInt(3)) {
        case 0 -> network.cutBoth(proxy, host.name);
        case 1 -> cutFromOthers(proxy, host.name);
        default -> {}
      }
    }
    simulation.world.afterMs(random.nextInt(700), network::heal);
  }

  void cutFromOthers(String name, String but) {
    for (String other : simulation.names()) {
      if (!other.equals(but)) {
        network.cutBoth(name, other);
      }
    }
  }

  void breakWires() {
    for (GatewayWire wire : List.copyOf(simulation.wires)) {
      if (random.nextInt(4) == 0) {
        wire.breakNow("the connection was reset");
        simulation.world.note(Happening.WIRE_RESET);
      }
    }
  }

  void split() {
    simulation.world.trace("split");
    simulation.world.note(Happening.SPLIT);
    List<String> names = simulation.names();
    int side = random.nextInt(1 << names.size());
    for (int i = 0; i < names.size(); i++) {
      for (int j = 0; j < i; j++) {
        if ((side >> i & 1) != (side >> j & 1)) {
          network.cutBoth(names.get(i), names.get(j));
        }
      }
    }
    simulation.world.afterMs(random.nextInt(700), network::heal);
  }

  /**
   * One member hears nothing of the others soon after the start; while it is so, one of the others
   * loses its disk, and then a third one is gone when the first is back.
   */
  void earlyAmnesia(Consumer<SimHost> emptyDisk) {
    List<String> names = simulation.names();
    int at = random.nextInt(names.size());
    String deaf = names.get(at);
    SimHost emptied = simulation.hosts().get(names.get((at + 1) % names.size()));
    SimHost gone = simulation.hosts().get(names.get((at + 2) % names.size()));
    simulation.world.afterMs(
        random.nextInt(100),
        () -> {
          names.stream()
              .filter(name -> !name.equals(deaf))
              .forEach(name -> network.cut(name, deaf));
        });
    simulation.world.afterMs(
        300 + random.nextInt(600),
        () -> {
          UUID was = emptied.folder;
          emptyDisk.accept(emptied);
          if (!emptied.folder.equals(was)) {
            simulation.world.note(Happening.EARLY_AMNESIA);
          }
        });
    simulation.world.afterMs(
        900 + random.nextInt(200),
        () -> {
          network.heal();
          cutFromOthers(gone.name, gone.name);
          simulation.world.afterMs(random.nextInt(800), network::heal);
        });
  }

  /**
   * A leader hears nobody but the clients of its own gateway, and the others elect another one at
   * once: for a while it does not know that it leads no more.
   */
  void depose(SimHost leader) {
    simulation.world.trace("%s is cut off with its clients", leader.name);
    simulation.world.note(Happening.DEPOSED);
    network.tellDown(leader.name, 5);
    simulation.names().stream()
        .filter(other -> !other.equals(leader.name))
        .forEach(other -> network.cutBoth(leader.name, other));
    simulation.proxyHosts().keySet().forEach(proxy -> network.cutBoth(proxy, leader.name));
    simulation.world.afterMs(100 + random.nextInt(300), network::heal);
  }
}
