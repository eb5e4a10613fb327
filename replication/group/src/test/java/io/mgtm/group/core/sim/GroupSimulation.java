package io.mgtm.group.core.sim;

import static io.mgtm.group.core.sim.Violation.check;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.Agreement;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.Role;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongConsumer;

/**
 * One schedule of a group under faults, drawn from a seed: the same seed gives the same schedule.
 * After a while all faults end, and the group must come to agree and to answer.
 */
final class GroupSimulation {
  private static final boolean TRACE = Boolean.getBoolean("trace");
  private static final long FAULTS_MS = 2_500;
  private static final long CALM_MS = 6_000;
  private static final int EVENTS_MAX = 400_000;

  final Fault fault;
  final Agreement agreement;
  private final boolean total;

  /** The member that keeps no data, empty for none. */
  final String witness;

  final SplittableRandom random;
  final CoreSettings settings;
  final Oracle oracle = new Oracle();
  final SimNetwork network;
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Map<String, SimNode> nodes = new TreeMap<>();
  private final Map<String, Integer> slowDisks = new TreeMap<>();
  private final List<SimClient> clients = new ArrayList<>();
  private final List<String> founders = new ArrayList<>();
  private final Nemesis nemesis;
  private final long seed;
  private final int mixed;
  private long nowMs;
  private long order;

  private record Event(long atMs, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(atMs, other.atMs);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  GroupSimulation(long seed, Fault fault) {
    this(seed, fault, Agreement.MAJORITY);
  }

  GroupSimulation(long seed, Fault fault, Agreement agreement) {
    this(seed, fault, agreement, false, false);
  }

  /** Two members with data, and a witness. */
  static GroupSimulation witnessed(long seed, Fault fault, Agreement agreement) {
    return new GroupSimulation(seed, fault, agreement, false, true);
  }

  /** Mode total. */
  static GroupSimulation total(long seed, Fault fault) {
    return new GroupSimulation(seed, fault, Agreement.MAJORITY, true, false);
  }

  private GroupSimulation(
      long seed, Fault fault, Agreement agreement, boolean total, boolean witnessed) {
    this.agreement = agreement;
    this.total = total;
    this.seed = seed;
    this.fault = fault;
    this.random = new SplittableRandom(seed);
    witness = witnessed ? "g" + (1 + random.nextInt(3)) : "";
    mixed = fault == Fault.AHEAD_TAKEN_FOR_BUFFERED ? 4 : random.nextInt(5);
    nemesis = new Nemesis(this);
    settings =
        new CoreSettings(
            25,
            120,
            60,
            10,
            nemesis.isHarsh() ? 400 : 0,
            fault == Fault.LAZY_WITHOUT_FENCE ? Long.MAX_VALUE : Pauses.SUSPECT_MS * 2 / 3,
            40,
            25 * (1 + random.nextInt(8)),
            1 + random.nextInt(8),
            64,
            1 << 20);
    network = new SimNetwork(this, random.split());
    int size = random.nextInt(5) == 0 ? 5 : 3;
    if (witnessed) {
      size = 3;
    } else if (isLazy()) {
      size = 2 + random.nextInt(2);
    }
    for (int i = 1; i <= size; i++) {
      founders.add("g" + i);
    }
    for (String name : founders) {
      startNew(name);
    }
    for (int i = 0; i < SimMachine.CLIENTS; i++) {
      SimClient client = new SimClient(this, i);
      clients.add(client);
      after(random.nextInt(50), client::begin);
    }
  }

  /** What happened, for the report of many schedules. */
  record Outcome(int acknowledged, int losses, long committed) {}

  Outcome run() {
    try {
      nemesis.begin();
      runUntil(FAULTS_MS);
      nemesis.end();
      long calmUntil = nowMs + CALM_MS;
      boolean stopping = false;
      while (nowMs < calmUntil) {
        runUntil(nowMs + 100);
        boolean settled = nemesis.isSettled();
        if (!stopping && settled) {
          clients.forEach(SimClient::stopWhenDone);
          stopping = true;
        }
        if (stopping && isDone()) {
          return new Outcome(oracle.acknowledged(), oracle.losses(), oracle.committedIndex());
        }
      }
      throw new Violation("the group did not come to rest: " + description());
    } catch (RuntimeException e) {
      throw new IllegalStateException(
          "%s, seed %d, fault %s, at %d ms: %s"
              .formatted(total ? "TOTAL" : agreement, seed, fault, nowMs, e.getMessage()),
          e);
    }
  }

  boolean isTotal() {
    return total;
  }

  /** Whether all faults have ended. */
  boolean isCalm() {
    return nowMs >= FAULTS_MS;
  }

  boolean isLazy() {
    return agreement == Agreement.CONNECTED;
  }

  private boolean isDone() {
    if (!clients.stream().allMatch(SimClient::isIdle)) {
      return false;
    }
    SimNode leader = leader();
    if (leader == null) {
      return false;
    }
    return leader.core.membership().dataVoters().stream()
        .allMatch(
            voter -> {
              SimNode node = nodes.get(voter.name());
              return node != null
                  && node.alive
                  && node.self().equals(voter)
                  && (node.total == null || node.total.order.isIdle())
                  && node.core.commitIndex() == leader.disk.last();
            });
  }

  private String description() {
    StringBuilder text = new StringBuilder();
    nodes.forEach(
        (name, node) ->
            text.append(
                "%s alive=%s %s term %d last %d commit %d %s leader %s members %s failure %s idle %s; "
                    .formatted(
                        node.self(),
                        node.alive,
                        node.core.role(),
                        node.core.term(),
                        node.disk.last(),
                        node.core.commitIndex(),
                        node.core.standing(),
                        node.core.leader(),
                        node.core.membership(),
                        node.failure,
                        clients.stream().filter(SimClient::isIdle).count())));
    return text.toString();
  }

  private void runUntil(long untilMs) {
    while (!events.isEmpty() && events.peek().atMs() <= untilMs) {
      Event event = events.poll();
      nowMs = event.atMs();
      check(order < EVENTS_MAX, "too many events");
      event.what().run();
    }
    nowMs = untilMs;
  }

  /** Tells what happens, when a single schedule is looked at with {@code -Dtrace=true}. */
  @SuppressWarnings("AnnotateFormatMethod")
  void trace(String format, Object... arguments) {
    if (TRACE) {
      System.out.printf("%6d  ", nowMs);
      System.out.println(format.formatted(arguments));
    }
  }

  void after(long delayMs, Runnable what) {
    events.add(new Event(nowMs + delayMs, order++, what));
  }

  long nowMs() {
    return nowMs;
  }

  SimNode node(String name) {
    return nodes.get(name);
  }

  Map<String, SimNode> nodes() {
    return nodes;
  }

  /** What the configuration of a member says that starts now; it changes while members run. */
  DurabilityMode configuredDurability() {
    return switch (mixed) {
      case 0 -> random.nextBoolean() ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
      case 1 -> nowMs > FAULTS_MS / 3 ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
      default -> DurabilityMode.CRITICAL;
    };
  }

  boolean isMixed() {
    return mixed <= 1;
  }

  List<String> configuredFor(String name) {
    List<String> names = new ArrayList<>(founders);
    if (!names.contains(name)) {
      names.add(name);
    }
    return names;
  }

  /** A member that serves, the one of the highest term. */
  SimNode leader() {
    return nodes.values().stream()
        .filter(node -> node.alive && node.core.isServing() && node.core.role() == Role.LEADER)
        .max((one, other) -> Long.compare(one.core.term(), other.core.term()))
        .orElse(null);
  }

  /** Starts a member on an empty folder. */
  void startNew(String name) {
    start(name, new SimDisk(new UUID(random.nextLong(), random.nextLong())));
  }

  void start(String name, SimDisk disk) {
    SimNode node = new SimNode(this, name, disk);
    nodes.put(name, node);
    trace(
        "%s starts, %s, incarnation %d, last %d",
        node.self(), disk.record.standing(), disk.record.incarnation(), disk.last());
    tick(node);
  }

  private void tick(SimNode node) {
    if (node.alive) {
      node.step(() -> node.core.tick(nowMs));
      if (random.nextInt(16) == 0 && !node.isPaused()) {
        node.maybeCheckpoint();
      }
      if (total) {
        node.step(node.total::tick);
      }
      after(8 + random.nextInt(5), () -> tick(node));
    }
  }

  void slowDisk(String name, int ms) {
    slowDisks.put(name, ms);
  }

  void disksAreFast() {
    slowDisks.clear();
  }

  long forceMs(String name) {
    return 1L + random.nextInt(1 + slowDisks.getOrDefault(name, 8));
  }

  void request(int target, Operation operation, LongConsumer answer) {
    List<SimNode> all = List.copyOf(nodes.values());
    SimNode node = all.get(target % all.size());
    after(
        1 + random.nextInt(4),
        () -> {
          if (!network.reaches(operation.client(), node.name)) {
            answer.accept(-1);
          } else if (node.alive) {
            node.request(operation, answer);
          }
        });
  }

  /** A reply leaves a member: from now on the outside may know of it. */
  void answered(Operation operation, long index, long reply, LongConsumer answer) {
    SimClient client = clients.get(operation.client());
    if (!client.knows(operation, reply)) {
      oracle.acknowledged(
          operation, index, reply, client.frontierAtStart(), client.lossesAtStart());
    }
    answer.accept(reply);
  }
}
