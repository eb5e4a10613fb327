package io.mgtm.gtm.sim;

import java.util.Set;
import java.util.TreeSet;

/**
 * Mode lazy: who is in whose view. A process that dies leaves the others' views, one that stands
 * still for long is left out of them, and is taken in again some time after it goes on. Connections
 * of gateways know nothing of views.
 */
final class Views {
  /** After this a member that does not answer is left out. */
  private static final int SUSPECT_MS = 120;

  private static final int DIED_MS = 30;

  private final Simulation simulation;
  private final World world;
  private final Set<String> leftOut = new TreeSet<>();

  Views(Simulation simulation) {
    this.simulation = simulation;
    this.world = simulation.world;
  }

  /** Whether members exchange messages. */
  boolean isTogether(String one, String other) {
    return leftOut.isEmpty()
        || one.equals(other)
        || !(leftOut.contains(one) || leftOut.contains(other));
  }

  /** Whether everybody is in everybody's view. */
  boolean isQuiet() {
    return leftOut.isEmpty();
  }

  /** A process has died. */
  void died(SimHost host, SimProcess dead) {
    for (String other : simulation.names()) {
      if (!other.equals(host.name)) {
        world.after(
            world.some(DIED_MS * World.MS),
            () -> {
              if (host.process() == dead) {
                down(other, host.name);
              }
            });
      }
    }
  }

  /** Another process of a name has started; nobody takes it for the former. */
  void started(String name) {
    leftOut.remove(name);
    for (String other : simulation.names()) {
      if (!other.equals(name)) {
        down(other, name);
        if (isTogether(other, name)) {
          up(other, name);
        } else {
          down(name, other);
        }
      }
    }
  }

  /** A process stands still; when that takes long, the others go on without it. */
  void paused(SimProcess process, long ms) {
    long suspectedMs = (long) SUSPECT_MS + world.random.nextInt(30);
    if (ms > suspectedMs) {
      world.afterMs(suspectedMs, () -> leaveOut(process));
      world.afterMs(ms, () -> goOn(process));
    }
  }

  private void leaveOut(SimProcess process) {
    String name = process.host.name;
    if (!process.isAlive() || !leftOut.add(name)) {
      return;
    }
    world.trace("%s is left out", name);
    world.note(Happening.LEFT_OUT);
    for (String other : simulation.names()) {
      if (!other.equals(name)) {
        down(other, name);
      }
    }
  }

  /** To one that was left out the others seem silent, until it hears that it was. */
  private void goOn(SimProcess process) {
    String name = process.host.name;
    if (!process.isAlive() || !leftOut.contains(name)) {
      return;
    }
    boolean told = world.random.nextBoolean();
    for (String other : simulation.names()) {
      if (told && !other.equals(name)) {
        down(name, other);
      }
    }
    world.afterMs(world.random.nextInt(300), () -> merge(process));
  }

  /** All are in one view again. */
  private void merge(SimProcess process) {
    String name = process.host.name;
    if (!process.isAlive() || !leftOut.remove(name)) {
      return;
    }
    world.trace("%s is taken in again", name);
    world.note(Happening.TAKEN_IN);
    for (String other : simulation.names()) {
      if (!other.equals(name) && isTogether(other, name)) {
        up(other, name);
        up(name, other);
      }
    }
  }

  private void down(String at, String gone) {
    simulation.network.tellNow(at, receiver -> receiver.down(gone));
  }

  private void up(String at, String back) {
    simulation.network.tellNow(at, receiver -> receiver.up(back));
  }
}
