package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/** A controller: an agent and a leader on a machine. It can be killed, and stand still. */
final class SimProcess implements NodeEffects, LeaderEffects {
  private static final int TICK_MS = 350;
  private static final List<String> PATHS =
      IntStream.range(0, Sim.PATHS).mapToObj(path -> "path " + path).toList();

  private final Sim sim;
  private final SimMachine machine;

  /** Null on a witness, which only votes. */
  private final NodeAgent agent;

  private final Leader leader;
  private final Plant plant;
  private final int guardAtStart;
  private final Map<Long, SimFence> fences = new HashMap<>();

  /** Nodes that an agent said to be off; only planted faults believe it like this. */
  private final Map<String, Belief> beliefs = new HashMap<>();

  private boolean alive = true;
  private long standsUntil;
  private long leadingTerm;
  private long readIndex;

  /** In which term an agent answered, and which incarnation of the node had been heard by then. */
  record Belief(long term, long incarnation) {}

  SimProcess(Sim sim, SimMachine machine, long incarnation) {
    this.sim = sim;
    this.machine = machine;
    this.plant = sim.plant;
    this.guardAtStart = config().timing().guardMs();
    boolean witness = sim.witness.contains(machine.name);
    agent = witness ? null : new NodeAgent(machine.name, incarnation, this);
    leader =
        new Leader(
            machine.name, this, seen -> plant.decide(plant.believe(seen, beliefs, leadingTerm)));
    run(this::configure);
    tick();
  }

  void configure() {
    if (agent != null) {
      agent.configured(config(), joined(), machine.clock());
    }
  }

  /** Machines are there before the log is. */
  private ClusterConfig config() {
    return sim.log == null ? sim.config : sim.log.state().config();
  }

  private Map<String, Map<String, Long>> joined() {
    return sim.log == null ? Map.of() : sim.log.state().joined();
  }

  /** An operator has it check something. */
  void check(String hierarchy, String resource) {
    if (agent != null) {
      run(() -> agent.checkNow(hierarchy, resource, found -> {}, machine.clock()));
    }
  }

  String name() {
    return machine.name;
  }

  boolean alive() {
    return alive;
  }

  /** Whether it lives and does not stand still. */
  boolean runs() {
    return alive && sim.now() >= standsUntil;
  }

  boolean leads() {
    return leadingTerm > 0;
  }

  void kill() {
    alive = false;
  }

  void standStill(long ms) {
    standsUntil = Math.max(standsUntil, sim.now() + ms);
  }

  void goOn() {
    standsUntil = 0;
  }

  /** Does something in this process: when it goes on, and never when it is dead by then. */
  void run(Runnable action) {
    if (!alive) {
      return;
    }
    if (sim.now() >= standsUntil) {
      action.run();
    } else {
      sim.at(standsUntil, () -> run(action));
    }
  }

  private void tick() {
    if (!alive) {
      return;
    }
    run(
        () -> {
          if (agent != null) {
            agent.tick(machine.clock());
          }
          if (leads()) {
            leader.connected(plant.alter(sim.log.connected(this), config()), machine.clock());
          }
          leader.tick(machine.clock(), sim.now());
        });
    sim.after(TICK_MS, this::tick);
  }

  void leading(long term, ClusterState state) {
    leadingTerm = term;
    leader.leading(term, plant.alter(state), machine.clock(), sim.now());
  }

  void following(long term) {
    if (leadingTerm < term) {
      leadingTerm = 0;
      leader.following();
    }
  }

  void committed(long term) {
    if (term == leadingTerm) {
      leader.committed(machine.clock(), sim.now());
    }
  }

  void confirmed(long term, long index) {
    if (term == leadingTerm) {
      leader.confirmed(index, machine.clock());
    }
  }

  void ended(long callId, Call.Result result) {
    agent.ended(callId, result, machine.clock());
  }

  void ask(long request, OperatorCommand command) {
    leader.asked(request, "operator " + request, command, machine.clock(), sim.now());
  }

  @Override
  public void send(Heartbeat heartbeat) {
    Heartbeat sent = plant.alter(heartbeat);
    sim.said.accept(sent);
    for (SimMachine other : sim.machines.values()) {
      if (other == machine) {
        sim.after(1, () -> run(() -> leader.heard(sent, "local", machine.clock())));
        continue;
      }
      int paths = other.process != null && other.process.leads() ? Sim.PATHS : 1;
      for (int path = 0; path < paths; path++) {
        String on = PATHS.get(path);
        sim.send(machine.name, other.name, path, process -> process.heard(sent, on));
      }
    }
  }

  private void heard(Heartbeat heartbeat, String path) {
    leader.heard(heartbeat, path, machine.clock());
  }

  @Override
  public void send(Grant grant) {
    sim.machines.get(grant.node()).leaseGranted(grant);
    if (grant.node().equals(machine.name)) {
      sim.after(1, () -> run(() -> granted(grant)));
      return;
    }
    for (int path = 0; path < Sim.PATHS; path++) {
      sim.send(machine.name, grant.node(), path, process -> process.granted(grant));
    }
  }

  private void granted(Grant grant) {
    Grant taken =
        plant == Plant.FORMER_INCARNATION
            ? new Grant(
                grant.node(),
                agent.incarnation(),
                grant.seq(),
                grant.sentAt(),
                grant.seen(),
                grant.leaseMs(),
                grant.guardMs(),
                grant.orders())
            : grant;
    agent.granted(taken, machine.clock());
  }

  @Override
  public void call(Call call) {
    machine.kits.begin(this, call);
  }

  @Override
  public void overtaken(long by) {
    if (plant != Plant.OVERTAKEN_UNTOLD) {
      machine.overtaken(by);
    }
  }

  @Override
  public void uses(String name, Hierarchy hierarchy) {
    // Its resources are of the model, whatever the configuration.
  }

  @Override
  public boolean isRepairedAlone(String kit) {
    return kit.equals(SimConfigs.ALONE);
  }

  @Override
  public void cancel(long callId) {
    machine.kits.cancel(this, callId);
  }

  @Override
  public void guard(String hierarchy, Set<String> resources, long deadline, int guardMs) {
    machine.guard(
        hierarchy, resources, deadline, plant == Plant.WATCHDOG_UNTOLD ? guardAtStart : guardMs);
  }

  @Override
  public void append(Batch batch, ClusterState after) {
    sim.log.append(this, leadingTerm, batch, after);
  }

  @Override
  public long confirm() {
    readIndex++;
    sim.log.confirm(this, leadingTerm, readIndex);
    return readIndex;
  }

  @Override
  public void reply(long request, Reply reply) {
    if (reply.outcome() == Reply.Outcome.DONE && !sim.log.isCommitted("operator " + request)) {
      throw sim.violation("an operator's command was acknowledged and is lost");
    }
  }

  @Override
  public void fence(long request, String node) {
    if (node.equals(machine.name)) {
      throw sim.violation(node + " has itself switched off");
    }
    SimMachine other = sim.machines.get(node);
    if (other.fenceable) {
      sim.trace(machine.name, "fences", node, "request", request);
      sim.fenced.accept(node);
      fences.put(request, new SimFence(sim, this, other, request));
    }
  }

  @Override
  public void endFence(long request) {
    SimFence fence = fences.remove(request);
    if (fence != null) {
      fence.end();
    }
  }

  void fenced(FenceAnswer answer) {
    sim.trace(machine.name, "is answered", answer);
    FenceAnswer told = plant.alter(answer);
    NodeView view = leader.views(machine.clock()).get(told.node());
    if (told.off() && view != null) {
      beliefs.put(told.node(), new Belief(leadingTerm, Plant.incarnation(view)));
    }
    leader.fenced(told, machine.clock(), sim.now());
  }
}
