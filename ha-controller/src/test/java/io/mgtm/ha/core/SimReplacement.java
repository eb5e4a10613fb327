package io.mgtm.ha.core;

import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.model.ClusterConfig;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Nodes leave, and are there again at once as other machines, while what a primary has said of
 * their copies is on its way; then the primary may die.
 */
final class SimReplacement {
  /** In one of so many schedules. */
  private static final int ONE_IN = 5;

  private static final int GIVEN_UP_MS = 3_000;

  private final Sim sim;
  private final long untilMs;
  private final Consumer<OperatorCommand> ask;
  private final Map<String, Mark> said = new HashMap<>();
  private String leaving = "";
  private String primary;

  private SimReplacement(Sim sim, long untilMs, Consumer<OperatorCommand> ask) {
    this.sim = sim;
    this.untilMs = untilMs;
    this.ask = ask;
  }

  /**
   * Has it happen now and then, in some schedules.
   *
   * @param ask has operators ask
   */
  static void mayHappen(Sim sim, long untilMs, Consumer<OperatorCommand> ask) {
    if (sim.seed % ONE_IN == 0) {
      SimReplacement replacement = new SimReplacement(sim, untilMs, ask);
      sim.said = replacement::said;
      sim.decided = replacement::decided;
    }
  }

  /** Before it is heard: what an operator asks comes first. */
  private void said(Heartbeat heartbeat) {
    for (Map.Entry<String, Report> each : heartbeat.reports().entrySet()) {
      CopyReport word = each.getValue().copies().get(SimConfigs.VOLUME);
      if (word != null && word.mark() != null) {
        String of = heartbeat.node() + " " + each.getKey();
        if (!word.mark().equals(said.put(of, word.mark())) && leaving.isEmpty()) {
          begin(heartbeat.node(), each.getKey());
        }
      }
    }
  }

  private void begin(String from, String hierarchy) {
    String node = sim.any(sim.config.hierarchies().get(hierarchy).nodes());
    if (sim.now() >= untilMs || node.equals(from)) {
      return;
    }
    primary = from;
    leaving = node;
    ask.accept(new Retire(node, Rest.STAYS));
    sim.after(GIVEN_UP_MS, () -> leaving = leaving.equals(node) ? "" : leaving);
  }

  private void decided(ClusterCommand command) {
    if (leaving.isEmpty()) {
      return;
    }
    if (command instanceof Retire retire && retire.node().equals(leaving) && isWhole()) {
      asked(sim.log.without(leaving));
    } else if (command instanceof Configure next && !next.config().nodes().containsKey(leaving)) {
      asked(sim.log.whole());
      leaving = "";
      if (sim.oneIn(2)) {
        SimMachine machine = sim.machines.get(primary);
        sim.after(sim.between(20, 400), () -> crash(machine));
      }
    }
  }

  private void crash(SimMachine machine) {
    if (sim.now() < untilMs && sim.oneIn(2)) {
      machine.holdDown();
    } else {
      machine.crash();
    }
  }

  /** One at a time: a hierarchy has a node left. */
  private boolean isWhole() {
    ClusterConfig now = sim.log.state().config();
    return now.nodes().equals(sim.whole(now).nodes());
  }

  /** Often at once, so that nothing is decided between. */
  private void asked(OperatorCommand command) {
    if (sim.oneIn(4)) {
      sim.after(sim.between(1, 500), () -> ask.accept(command));
    } else {
      ask.accept(command);
    }
  }
}
