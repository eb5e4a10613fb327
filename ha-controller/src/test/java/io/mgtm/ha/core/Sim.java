package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** A cluster on virtual time: machines, networks, and a log; real milliseconds. */
final class Sim {
  static final int PATHS = 2;

  /** Who takes a witness's place. */
  static final String THIRD = "n3";

  private static final boolean TRACE = Boolean.getBoolean("trace");

  final long seed;
  final SplittableRandom random;
  final Plant plant;

  /** With which the cluster begins. */
  final ClusterConfig config;

  /** The machine that only votes, if there is one. */
  final Set<String> witness;

  /** What a pair with a witness becomes, and is again; the same for all others. */
  final ClusterConfig grown;

  final Map<String, SimMachine> machines = new LinkedHashMap<>();
  final Map<String, SimVolume> volumes = new TreeMap<>();
  final SimLog log;

  /** Ways that are cut, as "from to path"; lossy ones lose every other message. */
  private final boolean[][][] cut;

  private final boolean[][][] lossy;
  private final List<String> names;
  private final SimAgenda agenda = new SimAgenda();
  private long now;
  boolean slowNetwork;

  /** Told where hierarchies are placed. */
  Consumer<ClusterCommand.Place> placed = place -> {};

  /** Told what an agent says, before anybody hears it. */
  Consumer<Heartbeat> said = heartbeat -> {};

  /** Told what is committed, before who leads goes on. */
  Consumer<ClusterCommand> decided = command -> {};

  /** Told of which machine a fence agent shall switch off. */
  Consumer<String> fenced = node -> {};

  /** Told of which machine a fence agent is about to say something. */
  Consumer<String> answered = node -> {};

  Sim(long seed, Plant plant) {
    this.seed = seed;
    this.plant = plant;
    random = new SplittableRandom(seed);
    config = SimConfigs.any(random);
    witness = config.witness().map(Set::of).orElse(Set.of());
    grown = config.witness().isEmpty() ? config : SimConfigs.grown(config, THIRD);
    names = Stream.of(config, grown).flatMap(c -> c.nodes().keySet().stream()).distinct().toList();
    cut = new boolean[names.size()][names.size()][PATHS];
    lossy = new boolean[names.size()][names.size()][PATHS];
    for (String name : names) {
      machines.put(name, new SimMachine(this, name));
    }
    config
        .hierarchies()
        .forEach(
            (name, hierarchy) -> {
              if (hierarchy.resources().containsKey(SimConfigs.VOLUME)) {
                volumes.put(name, new SimVolume(this, name, hierarchy.nodes()));
              }
            });
    log = new SimLog(this);
  }

  long now() {
    return now;
  }

  void at(long time, Runnable action) {
    agenda.add(Math.max(time, now), action);
  }

  void after(long ms, Runnable action) {
    at(now + ms, action);
  }

  /** Does what happens until a moment. */
  void runUntil(long time) {
    for (long at = now; at <= time; at++) {
      now = at;
      for (Runnable next = agenda.take(at); next != null; next = agenda.take(at)) {
        next.run();
      }
    }
  }

  int between(int low, int high) {
    return low + random.nextInt(high - low + 1);
  }

  boolean oneIn(int n) {
    return random.nextInt(n) == 0;
  }

  <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** That of the two which has the third node, or the other; no node has left it. */
  ClusterConfig whole(ClusterConfig now) {
    return now.nodes().containsKey(THIRD) && now.witness().isEmpty() ? grown : config;
  }

  List<String> names() {
    return names;
  }

  void cut(int from, int to, int path, boolean isCut) {
    cut[from][to][path] = isCut;
  }

  void lossy(int from, int to, int path, boolean isLossy) {
    lossy[from][to][path] = isLossy;
  }

  void healNetwork() {
    for (int from = 0; from < names.size(); from++) {
      for (int to = 0; to < names.size(); to++) {
        for (int path = 0; path < PATHS; path++) {
          cut[from][to][path] = false;
          lossy[from][to][path] = false;
        }
      }
    }
    slowNetwork = false;
  }

  /** Whether two machines reach each other both ways on a path. */
  boolean connected(String one, String other, int path) {
    int from = index(one);
    int to = index(other);
    return from == to || (!cut[from][to][path] && !cut[to][from][path]);
  }

  private int index(String name) {
    return name.charAt(1) - '0';
  }

  /** Brings a message to the controller that runs on a machine when it arrives. */
  void send(String from, String to, int path, Consumer<SimProcess> message) {
    int source = index(from);
    int target = index(to);
    if (cut[source][target][path] || (lossy[source][target][path] && oneIn(2))) {
      return;
    }
    long delay = slowNetwork && oneIn(3) ? between(1, 6_000) : between(1, 20);
    after(
        delay,
        () -> {
          SimProcess process = machines.get(to).process;
          if (process != null) {
            process.run(() -> message.accept(process));
          }
        });
  }

  /** Prints what happens, with -Dtrace=true. */
  void trace(Object... words) {
    if (TRACE) {
      StringBuilder line = new StringBuilder().append(now);
      for (Object word : words) {
        line.append(' ').append(word);
      }
      System.out.println(line);
    }
  }

  AssertionError violation(String what) {
    return new AssertionError(what + " at " + now + " ms; seed " + seed);
  }
}
