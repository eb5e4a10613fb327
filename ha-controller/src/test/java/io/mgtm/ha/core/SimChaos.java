package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.OperatorCommand.Activate;
import io.mgtm.ha.core.OperatorCommand.Answer;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Maintain;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.OperatorCommand.Scope;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.core.Placement.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** What goes wrong, and what operators do meanwhile. */
final class SimChaos {
  private static final long FAULTS_MS = 22_000;
  private static final long RECOVERY_MS = 90_000;
  private static final int LOOK_MS = 1_000;

  private final Sim sim;
  private final int rate;
  private final int crashing;
  private final int operators;
  private long request;

  private SimChaos(Sim sim) {
    this.sim = sim;
    rate = sim.between(300, 3_000);
    crashing = sim.between(1, 6);
    operators = sim.between(2, 12);
  }

  /** One schedule: faults, then none, until all that is wanted is in service. */
  static Sim run(long seed, Plant plant) {
    Sim sim = new Sim(seed, plant);
    SimChaos chaos = new SimChaos(sim);
    sim.placed = chaos::placed;
    sim.fenced = chaos::fenced;
    sim.answered = chaos::answered;
    SimReplacement.mayHappen(sim, FAULTS_MS, chaos::ask);
    sim.runUntil(sim.between(500, 4_000));
    sim.after(1, chaos::step);
    sim.runUntil(FAULTS_MS);
    chaos.end();
    chaos.await(chaos::well, "", "not all that is wanted came in service");
    if (sim.oneIn(4)) {
      chaos.retireOne();
    }
    if (sim.oneIn(4)) {
      sim.log.state().config().witness().ifPresent(chaos::loseWitness);
    }
    return sim;
  }

  private void step() {
    if (sim.now() >= FAULTS_MS) {
      return;
    }
    if (sim.oneIn(operators)) {
      operator();
    } else {
      fault();
    }
    sim.after(sim.between(rate / 4, rate), this::step);
  }

  private void fault() {
    SimMachine machine = sim.machines.get(sim.any(sim.names()));
    switch (sim.random.nextInt(13)) {
      case 0 -> cutOne();
      case 1 -> isolate(sim.between(0, sim.names().size() - 1));
      case 2, 3 -> sim.healNetwork();
      case 4 -> machine.killController();
      case 5 -> pause(machine);
      case 6 -> crash(machine);
      case 7 -> machine.kits.breakSomething();
      case 8 -> kits(machine);
      case 9 -> sim.log.elect();
      case 10 -> sim.slowNetwork = !sim.slowNetwork;
      case 11 -> machine.check();
      default -> atHolder();
    }
  }

  private void cutOne() {
    int from = sim.between(0, sim.names().size() - 1);
    int to = sim.between(0, sim.names().size() - 1);
    int path = sim.between(0, Sim.PATHS - 1);
    if (sim.oneIn(3)) {
      sim.lossy(from, to, path, true);
    } else {
      sim.cut(from, to, path, true);
      sim.cut(to, from, path, sim.random.nextBoolean());
    }
  }

  private void isolate(int node) {
    boolean oneWay = sim.oneIn(4);
    int onlyPath = sim.between(-1, Sim.PATHS - 1);
    for (int other = 0; other < sim.names().size(); other++) {
      for (int path = 0; path < Sim.PATHS; path++) {
        if (other != node && (onlyPath < 0 || path == onlyPath)) {
          sim.cut(node, other, path, true);
          sim.cut(other, node, path, !oneWay);
        }
      }
    }
  }

  private void pause(SimMachine machine) {
    if (machine.process != null) {
      machine.process.standStill(sim.between(100, 9_000));
    }
  }

  private void crash(SimMachine machine) {
    if (!sim.oneIn(crashing)) {
      return;
    }
    if (sim.oneIn(3)) {
      machine.holdDown();
    } else {
      machine.crash();
    }
  }

  private void kits(SimMachine machine) {
    switch (sim.random.nextInt(5)) {
      case 0 -> machine.kits.slow = true;
      case 1 -> machine.kits.failing = true;
      case 2 -> machine.kits.hanging = true;
      case 3 -> machine.kits.lying = true;
      default -> machine.kits.calm();
    }
  }

  /** Where it hurts: the node that a hierarchy is on, with the leader or without. */
  private void atHolder() {
    List<Placement> held = new ArrayList<>(sim.log.state().placements().values());
    Placement placement = sim.any(held);
    if (placement.stage() == Stage.OUT || sim.now() >= FAULTS_MS) {
      return;
    }
    int node = sim.names().indexOf(placement.node());
    SimMachine machine = sim.machines.get(placement.node());
    switch (sim.random.nextInt(6)) {
      case 0 -> isolate(node);
      case 1 -> pause(machine);
      case 2 -> machine.killController();
      case 3 -> {
        // Grants that are under way to it come after its boot.
        sim.slowNetwork = true;
        sim.after(sim.between(500, 3_000), machine::crash);
      }
      case 4 -> {
        // It is told to leave before it has looked at what it has.
        machine.kits.slow = true;
        machine.killController();
        operator();
      }
      default -> {
        isolate(node);
        sim.log.elect();
      }
    }
  }

  /** A node that has just begun is not heard any more, and shall leave again. */
  private void placed(Place place) {
    if (sim.now() >= FAULTS_MS || !sim.oneIn(8)) {
      return;
    }
    sim.after(
        sim.between(300, 1_500),
        () -> {
          if (sim.now() >= FAULTS_MS) {
            return;
          }
          unheard(place.node());
          String next = sim.any(sim.config.hierarchies().get(place.hierarchy()).nodes());
          ask(new Switchover(place.hierarchy(), next, false));
        });
  }

  private void unheard(String name) {
    int node = sim.names().indexOf(name);
    for (int other = 0; other < sim.names().size(); other++) {
      for (int path = 0; path < Sim.PATHS; path++) {
        sim.cut(node, other, path, other != node);
      }
    }
  }

  /** It comes back, and what it had is to be there again, while the agent is still at work. */
  private void fenced(String node) {
    if (sim.now() >= FAULTS_MS || sim.oneIn(3)) {
      return;
    }
    sim.after(sim.between(500, 3_000), sim::healNetwork);
    sim.after(
        sim.between(3_000, 9_000),
        () -> {
          for (String hierarchy : sim.config.hierarchies().keySet()) {
            if (sim.now() < FAULTS_MS
                && sim.config.hierarchies().get(hierarchy).nodes().contains(node)) {
              ask(new Switchover(hierarchy, node, false));
            }
          }
        });
  }

  /** It has something again by now, which shall leave, and is not heard any more. */
  private void answered(String node) {
    if (sim.now() >= FAULTS_MS || sim.oneIn(3)) {
      return;
    }
    unheard(node);
    for (Map.Entry<String, Placement> each : sim.log.state().placements().entrySet()) {
      if (each.getValue().node().equals(node)) {
        String next = sim.any(sim.config.hierarchies().get(each.getKey()).nodes());
        ask(new Switchover(each.getKey(), next, false));
      }
    }
  }

  private void operator() {
    String hierarchy = sim.any(List.copyOf(sim.config.hierarchies().keySet()));
    String node = sim.any(sim.whole(sim.log.state().config()).hierarchies().get(hierarchy).nodes());
    boolean acceptLoss = sim.oneIn(6);
    ask(
        switch (sim.random.nextInt(15)) {
          case 0 -> new Stop(hierarchy);
          case 1, 2 -> new Start(hierarchy, sim.oneIn(2) ? "" : node, acceptLoss);
          case 3, 4 -> new Switchover(hierarchy, node, acceptLoss);
          case 5 -> new Answer(hierarchy, sim.random.nextBoolean());
          case 6 -> new Maintain(Scope.NODE, node, sim.random.nextBoolean());
          case 7 -> new Retire(node, sim.oneIn(2) ? Rest.STAYS : Rest.STOPS);
          case 8 -> new Activate(node);
          case 9, 10 -> sim.log.another(node);
          case 11, 12 -> retimed();
          case 13 -> new Maintain(Scope.HIERARCHY, hierarchy, sim.random.nextBoolean());
          default -> new Maintain(Scope.CLUSTER, "", sim.random.nextBoolean());
        });
  }

  /** Leases of the former timing may be out when another leads. */
  private OperatorCommand retimed() {
    sim.after(sim.between(20, 1_500), this::atHolder);
    sim.after(sim.between(20, 1_500), sim.log::elect);
    return sim.log.otherTiming();
  }

  /** Asks everybody who thinks that it leads. */
  private void ask(OperatorCommand command) {
    request++;
    long id = request;
    for (SimMachine machine : sim.machines.values()) {
      SimProcess process = machine.process;
      if (process != null && process.leads()) {
        process.run(() -> process.ask(id, command));
      }
    }
  }

  private void end() {
    sim.healNetwork();
    for (SimMachine machine : sim.machines.values()) {
      machine.release();
      machine.kits.calm();
      if (machine.process != null) {
        machine.process.goOn();
      }
    }
    ask(new Maintain(Scope.CLUSTER, "", false));
  }

  /** A machine is taken out: nothing is left there that its watchdog would have to end. */
  private void retireOne() {
    String hierarchy = sim.any(List.copyOf(sim.config.hierarchies().keySet()));
    String node = sim.any(sim.config.hierarchies().get(hierarchy).nodes());
    await(() -> isRetired(node), node, node + " is retired and not idle");
  }

  /** A machine that is really silent is told of, and so is that it is back. */
  private void loseWitness(String node) {
    sim.machines.get(node).holdDown();
    await(
        () -> isTold(node) || !sim.log.state().config().nodes().containsKey(node),
        "",
        "the witness is silent, and that is not told");
    sim.machines.get(node).release();
    await(() -> !isTold(node), "", "the witness is back, and that is not told");
  }

  private boolean isTold(String node) {
    return sim.log.state().silentNodes().contains(node);
  }

  private boolean isRetired(String node) {
    return sim.log.state().retired().containsKey(node) && sim.machines.get(node).isIdle();
  }

  private void await(BooleanSupplier done, String retired, String otherwise) {
    long began = sim.now();
    while (!done.getAsBoolean()) {
      if (sim.now() - began > RECOVERY_MS) {
        throw sim.violation(
            otherwise + ": " + sim.log.state().placements() + sim.log.state().copies());
      }
      sim.runUntil(sim.now() + LOOK_MS);
      help(sim.now() - began, retired);
    }
  }

  /**
   * What an operator does when all is repaired: ends maintenance, starts what waits for it.
   *
   * @param retired the node that is taken out, empty for none
   */
  private void help(long sinceMs, String retired) {
    ClusterState state = sim.log.state();
    for (String node : state.retired().keySet()) {
      if (!node.equals(retired)) {
        ask(new Activate(node));
      }
    }
    if (!state.config().equals(sim.whole(state.config()))) {
      ask(new Configure(sim.whole(state.config()), state.configVersion()));
    } else if (!retired.isEmpty()) {
      ask(new Retire(retired, Rest.STOPS));
    }
    if (state.clusterMaintenance()) {
      ask(new Maintain(Scope.CLUSTER, "", false));
    }
    state.nodeMaintenance().forEach(node -> ask(new Maintain(Scope.NODE, node, false)));
    state
        .hierarchyMaintenance()
        .forEach(hierarchy -> ask(new Maintain(Scope.HIERARCHY, hierarchy, false)));
    for (Map.Entry<String, Placement> each : state.placements().entrySet()) {
      Placement placement = each.getValue();
      if (!placement.wanted() || sinceMs < 5_000) {
        continue;
      }
      if (placement.stage() == Stage.OUT && isGivenUp(state, each.getKey())) {
        // What an operator gave up for a copy that could not be used after all.
        ask(new Start(each.getKey(), sim.volumes.get(each.getKey()).newest(), true));
      } else if (placement.pending() != null) {
        ask(new Answer(each.getKey(), true));
      } else if (!placement.halted().isEmpty() || !placement.failures().isEmpty()) {
        ask(new Start(each.getKey(), whoKnows(state, each.getKey()), false));
      }
    }
  }

  private boolean isGivenUp(ClusterState state, String hierarchy) {
    return sim.volumes.containsKey(hierarchy)
        && sim.volumes.get(hierarchy).newest() != null
        && state.copies().getOrDefault(hierarchy, Map.of()).values().stream()
            .anyMatch(copies -> copies.mark().count() == 0);
  }

  /** Where the newest copy is, while the state does not know it; empty when it does. */
  private String whoKnows(ClusterState state, String hierarchy) {
    SimVolume volume = sim.volumes.get(hierarchy);
    return volume == null || volume.newest() == null || state.copies().containsKey(hierarchy)
        ? ""
        : volume.newest();
  }

  private boolean well() {
    ClusterState state = sim.log.state();
    if (state.former() != null || !sim.log.isWhole()) {
      return false;
    }
    for (Map.Entry<String, Placement> each : state.placements().entrySet()) {
      String hierarchy = each.getKey();
      Placement placement = each.getValue();
      SimVolume volume = sim.volumes.get(hierarchy);
      for (SimMachine machine : sim.machines.values()) {
        boolean here = placement.stage() == Stage.HELD && placement.node().equals(machine.name);
        if (here
            ? !machine.kits.hasAll(hierarchy) || (volume != null && !volume.writes())
            : machine.kits.has(hierarchy)) {
          return false;
        }
      }
      if (placement.wanted() != (placement.stage() == Stage.HELD)
          || (!placement.wanted() && placement.stage() != Stage.OUT)) {
        return false;
      }
    }
    return true;
  }
}
