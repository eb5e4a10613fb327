package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.Place;
import io.mgtm.ha.core.ClusterCommand.Silent;
import io.mgtm.ha.core.OperatorCommand.Configure;
import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Retire;
import io.mgtm.ha.core.OperatorCommand.Start;
import io.mgtm.ha.core.OperatorCommand.Stop;
import io.mgtm.ha.core.OperatorCommand.Switchover;
import io.mgtm.ha.model.ClusterConfig;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The controllers' log: linearizable, led by whoever reaches a majority. It speaks on path 0.
 * Leaders that are deposed learn it late; what they had appended is kept or lost.
 */
final class SimLog {
  private static final int LOOK_MS = 300;

  /** Within so long a leader that reaches a majority has committed what it had decided before. */
  private static final int COMMIT_MS = 1_000;

  private final Sim sim;
  private final SimVotes votes;
  private ClusterState committed;
  private long term;
  private SimProcess leader;
  private boolean electing;
  private SimProcess appender;
  private ClusterState appended;
  private Batch appendedBatch;
  private long appends;

  /** The leader that the witness has been connected with all the time, and since when. */
  private SimProcess witnessedBy;

  private long witnessSince;

  private final Set<String> committedBy = new HashSet<>();

  SimLog(Sim sim) {
    this.sim = sim;
    votes = new SimVotes(sim.config.nodes());
    Decision first =
        new Decision(new Configure(sim.config, 0), "operator", "the cluster begins", Map.of());
    committed = ClusterState.EMPTY.apply(new Batch(Batch.FORMAT, 0, 0, List.of(first)));
    sim.after(1, this::look);
  }

  ClusterState state() {
    return committed;
  }

  SimProcess leader() {
    return leader;
  }

  boolean isCommitted(String by) {
    return committedBy.contains(by);
  }

  /** Whether no node has left, and all vote. */
  boolean isWhole() {
    Set<String> nodes = committed.config().nodes().keySet();
    return nodes.equals(sim.whole(committed.config()).nodes().keySet()) && votes.are(nodes);
  }

  /**
   * All nodes again, or a pair that becomes three, or three a pair, or another retired one less;
   * where none is retired, one that retires.
   */
  OperatorCommand another(String node) {
    ClusterConfig now = committed.config();
    ClusterConfig whole = sim.whole(now);
    if (!now.nodes().equals(whole.nodes())) {
      return configure(whole);
    }
    if (!sim.grown.equals(sim.config) && sim.random.nextBoolean()) {
      return otherSize(now);
    }
    return committed.retired().isEmpty()
        ? new Retire(node, Rest.STAYS)
        : configure(SimConfigs.without(now, committed.retired().keySet().iterator().next()));
  }

  private OperatorCommand otherSize(ClusterConfig now) {
    if (now.witness().isPresent()) {
      return configure(sim.grown);
    }
    return committed.retired().containsKey(Sim.THIRD)
        ? configure(sim.config)
        : new Retire(Sim.THIRD, sim.random.nextBoolean() ? Rest.STAYS : Rest.STOPS);
  }

  /** One node less. */
  OperatorCommand without(String node) {
    return configure(SimConfigs.without(committed.config(), node));
  }

  /** All nodes again. */
  OperatorCommand whole() {
    return configure(sim.whole(committed.config()));
  }

  private OperatorCommand configure(ClusterConfig next) {
    return new Configure(next, committed.configVersion());
  }

  /** Leases and guards become longer or shorter. */
  OperatorCommand otherTiming() {
    ClusterConfig now = committed.config();
    return configure(
        new ClusterConfig(
            now.cluster(), sim.any(SimConfigs.TIMINGS), now.nodes(), now.hierarchies()));
  }

  /** The machines whose members of the log a process's own is connected with. */
  List<String> connected(SimProcess process) {
    List<String> reached = new ArrayList<>();
    for (SimMachine machine : sim.machines.values()) {
      SimProcess other = machine.process;
      if (other != null && other.runs() && sim.connected(process.name(), machine.name, 0)) {
        reached.add(machine.name);
      }
    }
    return reached;
  }

  private boolean reachesMajority(SimProcess process) {
    return process != null && process.runs() && votes.isMajority(connected(process));
  }

  /** Of one that is not in the configuration nobody is told. */
  private void lookAtWitness() {
    boolean hears =
        committed.config().witness().isPresent()
            && leader != null
            && leader.runs()
            && connected(leader).containsAll(sim.witness);
    if (leader != witnessedBy || !hears) {
      witnessedBy = leader;
      witnessSince = sim.now();
    }
  }

  private void look() {
    if (!sim.witness.isEmpty()) {
      lookAtWitness();
    }
    if (!electing && !reachesMajority(leader)) {
      elect();
    } else if (!electing) {
      followConfiguration();
    }
    sim.after(LOOK_MS, this::look);
  }

  private void followConfiguration() {
    if (votes.are(committed.config().nodes().keySet())) {
      return;
    }
    votes
        .follow(leader.name(), connected(leader), committed.config().logMembers())
        .ifPresent(next -> begin(sim.machines.get(next).process));
    if (!votes.are(committed.config().nodes().keySet()) && sim.oneIn(20)) {
      elect();
    }
  }

  /** Elects another leader, or the same again. */
  void elect() {
    electing = true;
    sim.after(
        sim.between(50, 1_200),
        () -> {
          electing = false;
          List<SimProcess> able = new ArrayList<>();
          for (SimMachine machine : sim.machines.values()) {
            if (votes.mayLead(machine.name) && reachesMajority(machine.process)) {
              able.add(machine.process);
            }
          }
          if (!able.isEmpty()) {
            begin(sim.any(able));
          }
        });
  }

  private void begin(SimProcess next) {
    SimProcess before = leader;
    if (appended != null && appender == leader && sim.oneIn(2)) {
      commit();
    }
    appended = null;
    term++;
    votes.elected(term);
    leader = next;
    long newTerm = term;
    ClusterState state = committed;
    if (before != null && before != next) {
      learn(before, newTerm);
    }
    sim.trace(next.name(), "is elected in term", term);
    next.run(() -> next.leading(newTerm, state));
  }

  /** A deposed leader learns it when somebody who knows reaches it. */
  private void learn(SimProcess deposed, long newTerm) {
    sim.after(
        sim.between(100, 1_500),
        () -> {
          if (leader == deposed || !deposed.alive()) {
            return;
          }
          if (leader != null && sim.connected(leader.name(), deposed.name(), 0)) {
            deposed.run(() -> deposed.following(newTerm));
          } else {
            learn(deposed, newTerm);
          }
        });
  }

  void append(SimProcess process, long processTerm, Batch batch, ClusterState after) {
    if (processTerm != term || process != leader) {
      return;
    }
    appender = process;
    appended = after;
    appendedBatch = batch;
    appends++;
    tryCommit(process, processTerm, appends);
  }

  private void tryCommit(SimProcess process, long processTerm, long number) {
    sim.after(
        sim.between(2, 40),
        () -> {
          if (appended == null || number != appends || processTerm != term) {
            return;
          }
          if (!reachesMajority(process)) {
            sim.after(100, () -> tryCommit(process, processTerm, number));
            return;
          }
          commit();
          appended = null;
          process.run(() -> process.committed(processTerm));
        });
  }

  private void commit() {
    appendedBatch.decisions().forEach(this::told);
    appendedBatch
        .decisions()
        .forEach(each -> sim.trace("committed", appended.version(), each.command(), each.cause()));
    if (!committed.config().equals(appended.config())) {
      appended = sim.plant.configured(committed, appended);
      sim.volumes.values().forEach(volume -> volume.configured(appended.config().nodes().keySet()));
      sim.machines.values().forEach(machine -> sim.after(sim.between(1, 600), machine::configured));
    }
    committed = appended;
    for (Decision decision : appendedBatch.decisions()) {
      committedBy.add(decision.by());
      sim.decided.accept(decision.command());
    }
  }

  private void told(Decision decision) {
    ClusterCommand command = decision.command();
    if (command instanceof Silent silent
        && silent.silent()
        && sim.witness.contains(silent.node())
        && sim.now() - witnessSince > committed.config().timing().leaseMs() + COMMIT_MS) {
      throw sim.violation("the witness is told to be silent, and is connected");
    }
    SimVolume volume = sim.volumes.get(command.subject());
    if (command instanceof Place place) {
      sim.placed.accept(place);
    }
    if (volume == null) {
      return;
    }
    if (command instanceof Place place) {
      volume.placed(place.node());
    } else if (command instanceof Start start && start.acceptLoss()) {
      volume.acceptLoss(start.node());
    } else if (command instanceof Switchover switchover && switchover.acceptLoss()) {
      volume.acceptLoss(switchover.node());
    } else if (command instanceof Start
        || command instanceof Switchover
        || command instanceof Stop) {
      volume.acceptNoLoss();
    }
  }

  /** Asks a majority whether it still leads, and tells it so. */
  void confirm(SimProcess process, long processTerm, long readIndex) {
    if (sim.plant == Plant.UNCONFIRMED) {
      sim.after(1, () -> process.run(() -> process.confirmed(processTerm, readIndex)));
      return;
    }
    sim.after(
        sim.between(1, 15),
        () -> {
          boolean former =
              sim.plant == Plant.FORMER_VOTERS
                  && votes.wasMajority(processTerm, connected(process));
          if (!former && (processTerm != term || process != leader)) {
            return;
          }
          if (former || reachesMajority(process)) {
            sim.after(
                sim.between(1, 15),
                () -> process.run(() -> process.confirmed(processTerm, readIndex)));
          } else {
            sim.after(150, () -> confirm(process, processTerm, readIndex));
          }
        });
  }
}
