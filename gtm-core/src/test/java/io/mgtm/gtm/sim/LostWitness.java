package io.mgtm.gtm.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Mode lazy: the leader leaves the other member out just as the witness loses its disk, so that the
 * pair stops though both have their data, until an operator gives the witness up.
 */
final class LostWitness {
  private static final int PATIENCE_MS = 600;
  private static final int LOOK_MS = 50;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Unhurt unhurt;
  private final Lines lines;
  private final Consumer<SimHost> replaceDisk;
  private final boolean active;
  private long ledMs;

  LostWitness(
      Simulation simulation, long seed, Unhurt unhurt, Lines lines, Consumer<SimHost> replaceDisk) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = new SplittableRandom(seed);
    this.unhurt = unhurt;
    this.lines = lines;
    this.replaceDisk = replaceDisk;
    boolean witnessed = simulation.scenario.isLazy() && simulation.scenario.witnessed();
    boolean planted = simulation.scenario.fault() == Fault.WITNESS_GIVEN_UP_BY_ONE;
    this.active = witnessed && (seed % 2 == 1 || planted);
    if (witnessed) {
      world.afterMs(LOOK_MS, this::accept);
    }
    if (active) {
      world.afterMs(500, this::lose);
    }
  }

  private void lose() {
    if (world.nowMs() < simulation.scenario.faultsMs()) {
      SimHost witness = simulation.hosts().get(simulation.witness);
      boolean may = unhurt.mayBeEmptied(witness);
      if (may) {
        replaceDisk.accept(witness);
      }
      world.afterMs(may ? 1_000 : 20, this::lose);
    }
  }

  /** Before the witness loses its disk, the leader hears that the other member is gone. */
  void leaveOut(SimHost witness) {
    SimNode leader = simulation.leader();
    boolean its = active && witness.name.equals(simulation.witness);
    if (!its || leader == null || random.nextInt(3) == 0) {
      return;
    }
    String other =
        simulation.names().stream()
            .filter(name -> !name.equals(witness.name) && !name.equals(leader.host.name))
            .findFirst()
            .orElseThrow();
    world.trace("%s takes %s for gone", leader.host.name, other);
    world.afterMs(
        random.nextInt(20),
        () -> simulation.network.tellNow(leader.host.name, to -> to.down(other)));
    world.afterMs(
        30 + random.nextInt(400),
        () -> simulation.network.tellNow(leader.host.name, to -> to.up(other)));
  }

  /** Both members with data are there, and nobody has led for a while. */
  private void accept() {
    List<SimNode> data =
        simulation.names().stream()
            .filter(name -> !name.equals(simulation.witness))
            .map(simulation::node)
            .toList();
    boolean there =
        data.stream().allMatch(node -> node.isAlive() && node.isOpen() && !node.isPaused());
    if (simulation.leader() != null || !there || !unhurt.isOnlyWitnessLost()) {
      ledMs = world.nowMs();
    } else if (world.nowMs() - ledMs >= PATIENCE_MS) {
      acceptAt(data);
    }
    world.afterMs(LOOK_MS, this::accept);
  }

  /** At one, or at both while they do not reach each other. */
  private void acceptAt(List<SimNode> data) {
    List<SimNode> asked = data;
    if (random.nextBoolean()) {
      asked = List.of(data.get(random.nextInt(data.size())));
    } else {
      lines.cut(data.get(0).host.name, data.get(1).host.name, random.nextInt(600), false);
    }
    for (SimNode node : asked) {
      world.trace("the operator accepts the loss at %s", node.host.name);
      node.owner.execute(node::acceptLoss);
    }
  }
}
