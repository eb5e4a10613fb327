package io.mgtm.gtm.sim;

import java.util.List;
import java.util.SplittableRandom;

/**
 * A majority loses power, and one of its members the disk too, so that nobody may be elected before
 * an operator accepts that entries may be missing. One that has more may be there again later.
 */
final class AcceptedLoss {
  private static final int PATIENCE_MS = 250;
  private static final int LOOK_MS = 50;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Unhurt unhurt;
  private long ledMs;
  private boolean accepted;

  AcceptedLoss(Simulation simulation, SplittableRandom random, Unhurt unhurt) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = random.split();
    this.unhurt = unhurt;
  }

  void begin() {
    world.afterMs(300 + random.nextInt(500), this::lose);
    world.afterMs(LOOK_MS, this::accept);
  }

  /**
   * Whether a member may stop because the group has lost what it knows as committed. It may hear of
   * that before the leader says so which an operator has let lead.
   */
  boolean explains(SimHost stopping) {
    if (accepted) {
      simulation.logs.expectLoss(stopping.name);
    }
    return accepted;
  }

  private void lose() {
    if (world.nowMs() >= simulation.scenario.faultsMs()) {
      return;
    }
    List<SimHost> all = List.copyOf(simulation.hosts().values());
    SimHost lost = all.get(random.nextInt(all.size()));
    if (simulation.leader() != null && unhurt.isMinorityHurt(lost)) {
      SimHost spared = random.nextInt(3) == 0 ? all.get(random.nextInt(all.size())) : null;
      world.trace("power fails, but for %s", spared == null ? "nobody" : spared.name);
      all.stream().filter(host -> host != spared).forEach(SimHost::losePower);
      world.trace("%s has lost its disk", lost.name);
      lost.kill();
      lost.emptyDisk();
      lost.mayHaveLost = true;
    }
    world.afterMs(300 + random.nextInt(700), this::lose);
  }

  private void accept(SimNode asked) {
    if (asked.admin().acceptLoss().isEmpty()) {
      world.note(Happening.LOSS_ACCEPTED);
      accepted = true;
    }
  }

  /** Somebody who is there is asked when there was no leader for a while. */
  private void accept() {
    if (simulation.leader() != null) {
      ledMs = world.nowMs();
    } else if (world.nowMs() - ledMs >= PATIENCE_MS) {
      List<String> names = simulation.names();
      SimNode asked = simulation.node(names.get(random.nextInt(names.size())));
      if (asked.isAlive() && asked.isOpen()) {
        world.trace("the operator accepts the loss at %s", asked.host.name);
        asked.owner.execute(() -> accept(asked));
      }
    }
    world.afterMs(LOOK_MS, this::accept);
  }
}
