package io.mgtm.gtm.sim;

import java.util.List;
import java.util.SplittableRandom;

/** Processes and machines that die, stand still, or become slow. */
final class Deaths {
  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Handover handover;

  Deaths(Simulation simulation, SplittableRandom random, Handover handover) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = random;
    this.handover = handover;
  }

  void kill(SimHost host) {
    if (host.isUp()) {
      world.trace("kill %s", host.name);
      world.note(Happening.KILLED);
      host.kill();
    }
  }

  /** What both of them alone have seen is gone. */
  void killWithProxy(SimHost host) {
    if (random.nextInt(3) == 0) {
      killProxy(anyProxy(), random.nextInt(500));
    }
    kill(host);
  }

  void everythingDies(boolean power) {
    world.trace("everything dies, power %s", power);
    world.note(power ? Happening.ALL_POWER_LOST : Happening.ALL_KILLED);
    for (SimHost host : List.copyOf(simulation.hosts().values())) {
      if (power) {
        host.losePower();
      } else {
        host.kill();
      }
    }
  }

  void pause(SimHost host) {
    if (host.isUp() && !handover.isUnderWay()) {
      int ms = 1 + random.nextInt(random.nextBoolean() ? 60 : 600);
      host.process().pause(ms);
      if (simulation.scenario.isLazy()) {
        simulation.views.paused(host.process(), ms);
      }
    }
  }

  void crashSoon(SimHost host) {
    if (!host.isUp()) {
      return;
    }
    host.doomed = true;
    if (random.nextBoolean()) {
      host.disk.crashAfter(random.nextInt(30));
    } else {
      host.process().crashAfterEffects(random.nextInt(60));
    }
  }

  /**
   * It is killed, and started again, or stands still; now and then for longer than a session lasts.
   */
  void disturbProxy() {
    SimHost host = anyProxy();
    if (!host.isUp() || random.nextInt(3) != 0) {
      killProxy(host, random.nextInt(500));
    } else {
      host.process().pause(1 + random.nextInt(random.nextInt(4) == 0 ? 9_000 : 600));
      if (host.process().isBehind()) {
        simulation.mayLoseSessions(host);
      }
    }
  }

  private SimHost anyProxy() {
    List<SimHost> proxies = List.copyOf(simulation.proxyHosts().values());
    return proxies.get(random.nextInt(proxies.size()));
  }

  private void killProxy(SimHost host, int downMs) {
    if (host.isUp()) {
      world.trace("%s is killed", host.name);
      world.note(Happening.PROXY_KILLED);
      host.kill();
      world.afterMs(downMs, () -> simulation.startProxy(host));
    }
  }

  void slowDisks() {
    simulation.hosts().values().forEach(host -> host.forceMs = 1 + random.nextInt(150));
    world.afterMs(random.nextInt(600), this::disksAreFast);
  }

  void disksAreFast() {
    simulation.hosts().values().forEach(host -> host.forceMs = SimHost.FORCE_MS);
  }
}
