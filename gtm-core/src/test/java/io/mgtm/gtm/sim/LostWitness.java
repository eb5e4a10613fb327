package io.mgtm.gtm.sim;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * The witness loses its disk, and the line between the other two is cut before it votes again; or,
 * in mode lazy, the leader leaves the other member out just then, so that the pair stops though
 * both have their data, until an operator gives the witness up.
 */
final class LostWitness {
  private static final int PATIENCE_MS = 600;
  private static final int LOOK_MS = 50;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Unhurt unhurt;
  private final Lines lines;
  private final Consumer<SimHost> loseDisk;
  private final boolean lazy;

  /** Whether the leader is made to leave the other member out. */
  private final boolean leavesOut;

  /** Whether the witness learns now, and the line was cut for that, if at all. */
  private boolean learns;

  private long ledMs;

  LostWitness(
      Simulation simulation, long seed, Unhurt unhurt, Lines lines, Consumer<SimHost> loseDisk) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = new SplittableRandom(seed);
    this.unhurt = unhurt;
    this.lines = lines;
    this.loseDisk = loseDisk;
    this.lazy = simulation.scenario.isLazy();
    Fault fault = simulation.scenario.fault();
    boolean learner = fault == Fault.WITNESS_THAT_LEARNS_BINDS_NOBODY;
    boolean odd = seed % 2 == 1;
    this.leavesOut = lazy && ((odd && !learner) || fault == Fault.WITNESS_GIVEN_UP_BY_ONE);
    if (!simulation.scenario.witnessed() || simulation.scenario.quorumDisk()) {
      return;
    }
    if (lazy) {
      world.afterMs(LOOK_MS, this::accept);
    }
    if (lazy ? leavesOut || learner || seed % 4 == 0 : odd) {
      world.afterMs(500, this::lose);
      world.afterMs(500, this::cutWhileItLearns);
    }
  }

  private boolean isOver() {
    return world.nowMs() >= simulation.scenario.faultsMs();
  }

  private void lose() {
    if (!isOver()) {
      SimHost witness = simulation.hosts().get(simulation.witness);
      boolean may = lazy ? unhurt.mayBeEmptied(witness) : witness.isUp();
      if (may) {
        loseDisk.accept(witness);
      }
      world.afterMs(may ? 300 + random.nextInt(900) : 20, this::lose);
    }
  }

  private void cutWhileItLearns() {
    if (isOver()) {
      return;
    }
    SimNode leader = simulation.leader();
    boolean learnt = learns;
    learns = leader != null && leader.isBesideALearner(simulation.witness);
    if (learns && !learnt && random.nextInt(3) > 0) {
      List<SimNode> data = data();
      world.afterMs(
          random.nextInt(20),
          () ->
              lines.cut(
                  data.get(0).host.name, data.get(1).host.name, 100 + random.nextInt(400), true));
    }
    world.afterMs(2, this::cutWhileItLearns);
  }

  /** Before the witness loses its disk, the leader hears that the other member is gone. */
  void leaveOut(SimHost witness) {
    SimNode leader = simulation.leader();
    boolean its = leavesOut && witness.name.equals(simulation.witness);
    if (!its || leader == null || random.nextInt(3) == 0) {
      return;
    }
    String other =
        data().stream()
            .map(n -> n.host.name)
            .filter(n -> !n.equals(leader.host.name))
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

  private List<SimNode> data() {
    return simulation.names().stream()
        .filter(name -> !name.equals(simulation.witness))
        .map(simulation::node)
        .toList();
  }

  private static boolean isThere(SimNode node) {
    return node.isAlive() && node.isOpen() && !node.isPaused();
  }

  /**
   * Both members with data are there, and nobody has led for a while; or an operator is hasty,
   * which costs nothing that is synced.
   */
  private void accept() {
    List<SimNode> there = data().stream().filter(LostWitness::isThere).toList();
    boolean led = simulation.leader() != null;
    if (led || there.size() < 2 || !unhurt.isOnlyWitnessLost()) {
      ledMs = world.nowMs();
    }
    boolean hasty = !led && !there.isEmpty() && random.nextInt(40) == 0;
    if (hasty || world.nowMs() - ledMs >= PATIENCE_MS) {
      acceptAt(there);
    }
    world.afterMs(LOOK_MS, this::accept);
  }

  /** At one, or at both while they do not reach each other. */
  private void acceptAt(List<SimNode> there) {
    List<SimNode> asked = there;
    if (random.nextBoolean()) {
      asked = List.of(there.get(random.nextInt(there.size())));
    } else if (there.size() == 2) {
      lines.cut(there.get(0).host.name, there.get(1).host.name, random.nextInt(600), false);
    }
    for (SimNode node : asked) {
      world.trace("the operator accepts the loss at %s", node.host.name);
      node.owner.execute(node::acceptLoss);
    }
  }
}
