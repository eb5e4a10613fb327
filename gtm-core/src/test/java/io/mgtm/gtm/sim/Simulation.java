package io.mgtm.gtm.sim;

import io.mgtm.group.LogException;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.net.Transport;
import io.mgtm.group.quorumdisk.QuorumDisk;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.node.SimulatedNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * One schedule of whole nodes and proxies under faults, drawn from a seed: the real log, core,
 * engine, state and gateway, on simulated disks, networks and clocks. After a while all faults end,
 * and the group must come to agree and to answer.
 */
final class Simulation {
  static final int SEQUENCES = 3;

  private static final long CALM_MS = 20_000;
  private static final int PROXIES = 2;

  final Scenario scenario;
  final World world;
  final ClientOracle clients;
  final LogOracle logs;
  final MemberNetwork network;
  final CoreSettings core;
  final boolean mostlyReads;

  /** Whether values are drawn of one sequence, so that its marks are raised often. */
  final boolean mostlyDraws;

  /** The member that keeps no data, empty for none. */
  final String witness;

  /** What is in place of that member, null for none. */
  private final SimDisk quorumDisk;

  final List<GatewayWire> wires = new ArrayList<>();
  private final Map<String, SimHost> hosts = new TreeMap<>();
  private final Map<String, SimHost> proxyHosts = new TreeMap<>();
  private final Map<String, SimGateway> proxies = new TreeMap<>();
  private final List<String> founders = new ArrayList<>();
  private final Nemesis nemesis;
  final Views views;
  final VoterWatch voters;
  private final long seed;
  private boolean stopping;

  /** What happened, for the report of many schedules. */
  record Outcome(int answers, int losses, long committed, long events, Tally tally) {}

  Simulation(long seed, Scenario scenario) {
    this.seed = seed;
    this.scenario = scenario;
    world = new World(seed);
    clients = new ClientOracle(world, scenario.isLazy());
    // In mode lazy gateways bring what a leader had lost, so that nobody's transactions end.
    logs = new LogOracle(world, scenario.isLazy() ? () -> {} : clients::lost);
    network = new MemberNetwork(world, hosts, scenario);
    voters = new VoterWatch(world);
    core =
        new CoreSettings(
            25,
            120,
            60,
            10,
            scenario.harsh() && !scenario.lossAccepted() ? 400 : 0,
            scenario.fault() == Fault.LAZY_WITHOUT_FENCE ? 1_000_000 : 80,
            40,
            200 * (1 + world.random.nextInt(8)),
            1 + world.random.nextInt(8),
            512,
            1 << 20,
            seed % 3 > 0,
            scenario.queryLeaseMs(seed));
    for (int i = 1; i <= scenario.size(); i++) {
      founders.add(scenario.quorumDisk() && i == 3 ? QuorumDisk.MEMBER : "g" + i);
    }
    mostlyReads = world.oneIn(3) || scenario.fault().isOfReads();
    mostlyDraws = world.oneIn(6) || scenario.fault() == Fault.AHEAD_TAKEN_FOR_BUFFERED;
    witness =
        scenario.quorumDisk()
            ? QuorumDisk.MEMBER
            : scenario.witnessed() ? founders.get(world.random.nextInt(founders.size())) : "";
    quorumDisk = scenario.quorumDisk() ? new SimDisk(this) : null;
    views = new Views(this);
    if (scenario.isLazy()) {
      network.use(views);
    }
    nemesis = new Nemesis(this, OldFolders.of(this, seed), seed);
    if ((scenario.harsh() && !nemesis.isAllForced()) || scenario.isLazy()) {
      logs.allowLoss();
    }
  }

  /** In mode lazy: how long gateways are waited for. */
  int recoveryWaitMs() {
    return scenario.fault() == Fault.NO_WAIT_FOR_FRONTS ? 0 : 2_000;
  }

  static List<Command> firstCommands() {
    List<Command> first = new ArrayList<>();
    for (int i = 0; i < SEQUENCES; i++) {
      first.add(new SequenceCommand.Restore("s" + i, 1, 1, Long.MAX_VALUE - 1, 1, 1, false, false));
    }
    first.add(new TransactionCommand.StartGxids(10_000, 3));
    return first;
  }

  /** Runs it; throws a {@link Violation} when a promise was broken. */
  Outcome run() {
    try {
      founders.stream().filter(name -> !name.equals(QuorumDisk.MEMBER)).forEach(this::startNew);
      for (int i = 1; i <= PROXIES; i++) {
        startProxy("p" + i);
      }
      nemesis.begin();
      world.runUntilMs(scenario.faultsMs());
      nemesis.end();
      while (world.nowMs() < scenario.faultsMs() + CALM_MS) {
        world.runUntilMs(world.nowMs() + 100);
        if (!stopping && nemesis.isSettled()) {
          gateways().forEach(SimGateway::stop);
          stopping = true;
        }
        if (stopping && isDone()) {
          compareStates();
          logs.atRest();
          return new Outcome(
              clients.answers(), logs.losses(), logs.committed(), world.events(), world.tally);
        }
      }
      throw new Violation("the group did not come to rest: " + description());
    } catch (Violation e) {
      throw new Violation(
          "%s, seed %d, at %d ms: %s; repeat it with -Dtest=SimulationTest#%s -Dmode=%s -Dfault=%s -Dseed=%d -Dtrace=true"
              .formatted(
                  scenario,
                  seed,
                  world.nowMs(),
                  e.getMessage(),
                  scenario.testMethod(),
                  scenario.mode().label(),
                  scenario.fault(),
                  seed),
          e);
    } finally {
      hosts.values().forEach(SimHost::kill);
      proxyHosts.values().forEach(SimHost::kill);
    }
  }

  private boolean isDone() {
    SimNode leader = leader();
    return leader != null
        && gateways().stream().allMatch(SimGateway::isDone)
        && hosts.values().stream().allMatch(host -> isInStepWith(leader, host));
  }

  private boolean isInStepWith(SimNode leader, SimHost host) {
    SimNode node = node(host.name);
    return !leader.voters().contains(host.name)
        || (node != null
            && node.isAlive()
            && node.isOpen()
            && (node.isWitness() || hasAll(node.status(), leader.status().lastIndex())));
  }

  /** One that had applied what was cut builds its state anew, which takes a while. */
  private static boolean hasAll(GroupStatus status, long last) {
    return status.committedIndex() == last && status.appliedIndex() == last;
  }

  private void compareStates() {
    SimNode leader = leader();
    gateways().forEach(gateway -> gateway.checkOpen(leader.gtm()));
    for (SimHost host : hosts.values()) {
      SimNode node = node(host.name);
      if (leader.voters().contains(host.name) && !node.isWitness()) {
        logs.committed(node.trace(), node.status().committedIndex());
        logs.state(
            host.name,
            node.trace().applied(),
            SimulatedNode.comparable(node.gtm().machine().picture().bytes()));
      }
    }
  }

  private String description() {
    StringBuilder text = new StringBuilder();
    hosts.forEach(
        (name, host) -> {
          SimNode node = node(name);
          text.append(
              "%n%s alive %s %s %s"
                  .formatted(
                      name,
                      host.isUp(),
                      node == null ? "" : node.status(),
                      node == null ? "" : node.failure()));
        });
    gateways().forEach(gateway -> text.append("\n").append(gateway));
    return text.toString();
  }

  // The hosts and what runs on them.

  List<String> names() {
    return List.copyOf(hosts.keySet());
  }

  List<String> configuredFor(String name) {
    List<String> names = new ArrayList<>(founders);
    if (!names.contains(name)) {
      names.add(name);
      names.remove(witness); // in whose place it comes
    }
    return names;
  }

  int founders() {
    return founders.size();
  }

  Map<String, SimHost> hosts() {
    return hosts;
  }

  /** The process that runs on a host, or ran last; null before the first. */
  SimNode node(String name) {
    SimHost host = hosts.get(name);
    return host == null ? null : (SimNode) host.process();
  }

  /** A member that serves, the one of the highest term. */
  SimNode leader() {
    SimNode found = null;
    for (String name : hosts.keySet()) {
      SimNode node = node(name);
      if (node.isAlive()
          && node.decides()
          && (found == null || node.status().term() > found.status().term())) {
        found = node;
      }
    }
    return found;
  }

  private List<SimGateway> gateways() {
    List<SimGateway> all = new ArrayList<>(proxies.values());
    for (String name : hosts.keySet()) {
      if (node(name).isAlive() && node(name).gateway() != null) {
        all.add(node(name).gateway());
      }
    }
    return all;
  }

  void startNew(String name) {
    hosts.put(name, new SimHost(world, name, this::died));
    start(name);
  }

  void start(String name) {
    SimHost host = hosts.get(name);
    SimNode node = new SimNode(this, host, nemesis.durability());
    if (hosts.values().stream()
        .anyMatch(other -> other.isUp() && node.differsFrom(node(other.name)))) {
      world.note(Happening.DURABILITY_MIXED);
    }
    host.started(node);
    node.start();
    if (scenario.isLazy()) {
      views.started(name);
    } else {
      network.tellUp(name, 2);
    }
  }

  /** Starts a process on a host that is down, if it is still one of the group's. */
  void startAgain(SimHost host) {
    if (!host.isUp() && hosts.get(host.name) == host) {
      start(host.name);
    }
  }

  /** A gateway begins after others were told to stop. */
  void opened(SimGateway gateway) {
    if (stopping) {
      gateway.stop();
    }
  }

  private void startProxy(String name) {
    SimHost host = new SimHost(world, name, this::proxyDied);
    proxyHosts.put(name, host);
    startProxy(host);
  }

  /** Another process of the same name. */
  void startProxy(SimHost host) {
    SimProcess process = new SimProcess(world, host);
    host.started(process);
    SimGateway gateway = new SimGateway(this, process, GatewayKind.PROXY, List.copyOf(founders));
    proxies.put(host.name, gateway);
    gateway.start();
    opened(gateway);
  }

  private void proxyDied(SimHost host, SimProcess dead) {
    breakWires(dead, "its proxy died");
    proxies.remove(host.name).died();
  }

  /** A proxy stands still for so long that the group may give its clients up. */
  void mayLoseSessions(SimHost host) {
    proxies.get(host.name).mayLoseSessions();
  }

  Map<String, SimHost> proxyHosts() {
    return proxyHosts;
  }

  private void died(SimHost host, SimProcess dead) {
    world.trace("%s is dead", host.name);
    network.loseWhatWasSent(dead);
    breakWires(dead, "its node died");
    nemesis.died(host, dead);
  }

  private void breakWires(SimProcess dead, String why) {
    wires.removeIf(
        wire -> {
          boolean its = wire.gateway() == dead || wire.node() == dead;
          if (its) {
            wire.breakNow(why);
          }
          return its;
        });
  }

  /** A node cannot go on, and its process ends. */
  void stopped(SimNode node, LogException cause) {
    nemesis.stopped(node, cause);
  }

  /** A member has everything again, as far as it and the group know. */
  void inStep(SimNode node) {
    nemesis.inStep(node);
  }

  /** The way of a node to the others, with what is planted there. */
  Transport transportOf(SimNode node) {
    Transport transport = quorumDisk == null ? network.transport(node) : quorumDisk.transport(node);
    return PlantedTransports.of(node, transport);
  }

  /** How a machine's boots are told apart. */
  String bootOf(SimHost host) {
    return scenario.fault() == Fault.POWER_CUT_NOT_NOTICED ? "always the same" : host.boot;
  }

  // What clients tell.

  void clientError(SimClient client, String message) {
    world.check(nemesis.mayRefuse(message), "%s gets an error: %s", client, message);
    world.note(Happening.ROOM_REFUSED);
  }

  void sessionLost(SimClient client, boolean stoodStill) {
    world.trace("%s has lost its session", client);
    world.note(Happening.SESSION_LOST);
    world.check(
        stoodStill || scenario.alone() || (logs.isTold() && !scenario.isLazy()),
        "%s has lost its session, and the group says that it lost nothing",
        client);
  }
}
