package io.mgtm.gtm.sim;

import io.mgtm.group.core.Role;

/** Mode lazy: a leader hands over and goes; whom it has chosen must lead without its return. */
final class Handover {
  /** Within this a member leads that was handed the leadership, disks being slow. */
  private static final int SUCCESSION_MS = 1_500;

  private final Simulation simulation;
  private final World world;

  /** The host of the leader that has gone, and stays down. */
  private SimHost gone;

  private long quietUntilMs = -1;

  Handover(Simulation simulation) {
    this.simulation = simulation;
    this.world = simulation.world;
  }

  /** Whether no process may stand still now, and no line be cut. */
  boolean isUnderWay() {
    return world.nowMs() <= quietUntilMs;
  }

  /** Whether a host stays down for now. */
  boolean keepsDown(SimHost host) {
    return host == gone;
  }

  void begin(SimNode leader, SimHost successor) {
    if (isUnderWay() || !successor.isUp()) {
      return;
    }
    SimProcess to = successor.process();
    leader.owner.execute(
        () -> {
          if (leader.admin().transfer(successor.name).isEmpty()) {
            quietUntilMs = world.nowMs() + SUCCESSION_MS + 500;
            world.trace("%s is to stop, %s to lead", leader.host.name, successor.name);
            goOnceHandedOver(leader, to);
          }
        });
  }

  private void goOnceHandedOver(SimNode leader, SimProcess successor) {
    if (!leader.isAlive()) {
      return;
    }
    if (leader.status().transferring()) {
      world.afterMs(1, () -> goOnceHandedOver(leader, successor));
    } else if (leader.status().role() != Role.LEADER) {
      world.trace("%s has handed over and stops", leader.host.name);
      gone = leader.host;
      leader.host.kill();
      awaitSuccessor(successor, world.nowMs() + SUCCESSION_MS);
    }
  }

  private void awaitSuccessor(SimProcess successor, long untilMs) {
    if (successor.isAlive() && !isLed()) {
      world.check(world.nowMs() < untilMs, "%s leads nobody after a transfer", successor.host.name);
      world.afterMs(10, () -> awaitSuccessor(successor, untilMs));
      return;
    }
    if (isLed()) {
      world.note(Happening.LED_AFTER_HANDOVER);
    }
    SimHost back = gone;
    gone = null;
    simulation.startAgain(back);
  }

  private boolean isLed() {
    return simulation.hosts().values().stream()
        .anyMatch(
            host ->
                host.isUp()
                    && simulation.node(host.name).isOpen()
                    && simulation.node(host.name).status().serving());
  }
}
