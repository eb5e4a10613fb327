package io.mgtm.query.check;

import io.mgtm.query.check.Transaction.Append;
import io.mgtm.query.check.Transaction.Isolation;
import io.mgtm.query.check.Transaction.Outcome;
import io.mgtm.query.check.Transaction.Read;
import io.mgtm.query.check.Transaction.Step;
import io.mgtm.query.fleet.SnapshotGate;
import io.mgtm.query.fleet.SnapshotGate.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;

/**
 * Servers as the replicator keeps them, with clients: a leader that locks lists and has snapshots,
 * and others, which commit before it, in any order where nothing conflicts, and may be read from;
 * where it says so by snapshots which the {@link SnapshotGate} keeps apart from commits.
 */
final class SimulatedDatabase {
  /** What is done wrong. */
  enum Fault {
    NONE,
    READ_WHAT_IS_NOT_COMMITTED,
    READ_WITHOUT_SNAPSHOT,
    OVERWRITE_WHAT_THE_SNAPSHOT_LACKS,
    FORGET,
    REPEAT,
    COMMIT_BY_HALF,
    TAKE_SNAPSHOTS_AMID_COMMITS,
    LET_SNAPSHOTS_IN_BEFORE_THE_LEADER_HAS_IT,
    USE_A_SNAPSHOT_THAT_WAS_TAKEN_TOO_LATE,
    ACKNOWLEDGE_BEFORE_ALL_HAVE_IT;

    /** Whether it is one of reads of snapshots. */
    boolean isOfSnapshots() {
      return this == TAKE_SNAPSHOTS_AMID_COMMITS
          || this == LET_SNAPSHOTS_IN_BEFORE_THE_LEADER_HAS_IT
          || this == USE_A_SNAPSHOT_THAT_WAS_TAKEN_TOO_LATE;
    }
  }

  private static final int SERVERS = 3;
  private static final int CLIENTS = 8;
  private static final int KEYS = 5;
  private static final int LENGTH_MAX = 40;
  private static final int RARELY = 20;

  /** A client's transaction. */
  private static final class Open {
    Isolation isolation;
    int server;
    int left;
    Map<String, Integer> snapshot;
    boolean commits;
    boolean comes;
    long came;
    SnapshotGate.Pass pass;
    boolean inside;
    boolean late;
    boolean acknowledged;
    final List<Integer> behind = new ArrayList<>();
    final List<Step> steps = new ArrayList<>();
    final Map<String, List<Integer>> own = new LinkedHashMap<>();
  }

  private final Random random;
  private final Fault fault;
  private final boolean ofSnapshots;
  private final SnapshotGate gate = new SnapshotGate();
  private final List<Map<String, List<Integer>>> servers = new ArrayList<>();
  private final Map<String, Open> locks = new HashMap<>();
  private final Open[] clients = new Open[CLIENTS];
  private final String[] keys = new String[KEYS];
  private final List<Transaction> history = new ArrayList<>();
  private long clock;
  private int elements;
  private int names;

  /**
   * One in which nothing was done.
   *
   * @param ofSnapshots whether reads at the others see what the leader shows
   */
  SimulatedDatabase(long seed, Fault fault, boolean ofSnapshots) {
    this.random = new Random(seed);
    this.fault = fault;
    this.ofSnapshots = ofSnapshots;
    for (int i = 0; i < SERVERS; i++) {
      servers.add(new HashMap<>());
    }
    for (int i = 0; i < KEYS; i++) {
      keys[i] = "k" + names++;
    }
  }

  /** What its clients saw, and what is there in the end, at the leader. */
  List<Anomaly> check(int transactions) {
    while (history.size() < transactions) {
      step(random.nextInt(CLIENTS));
    }
    while (Arrays.stream(clients).anyMatch(Objects::nonNull)) {
      int client = random.nextInt(CLIENTS);
      Open open = clients[client];
      if (open != null && open.commits) {
        commit(client, open);
      } else if (open != null && isAtGate(open)) {
        takeAtGate(open);
      } else if (open != null) {
        end(client, open, Outcome.ABORTED);
      }
    }
    return ListAppendChecker.check(history, servers.get(0));
  }

  private boolean isRare() {
    return random.nextInt(RARELY) == 0;
  }

  private void step(int client) {
    Open open = clients[client];
    if (open == null) {
      clients[client] = begin();
    } else if (open.commits) {
      commit(client, open);
    } else if (open.left == 0) {
      decide(open);
    } else if (open.server == 0 && random.nextBoolean()) {
      append(client, open);
    } else if (isAtGate(open)) {
      takeAtGate(open);
    } else {
      read(open);
    }
  }

  private Open begin() {
    Open open = new Open();
    open.isolation = random.nextBoolean() ? Isolation.READ_COMMITTED : Isolation.REPEATABLE_READ;
    open.server = random.nextInt(3) == 0 ? 1 + random.nextInt(SERVERS - 1) : 0;
    boolean alone = ofSnapshots && open.server != 0 && open.isolation == Isolation.READ_COMMITTED;
    open.left = alone ? 1 : 1 + random.nextInt(4);
    return open;
  }

  private boolean isAtGate(Open open) {
    return ofSnapshots && open.server != 0 && (open.snapshot == null || open.inside);
  }

  /** Comes to the gate, has the server take it, or leaves the gate: each is a step. */
  private void takeAtGate(Open open) {
    if (!open.comes) {
      open.comes = true;
      open.came = ++clock;
      open.late = fault == Fault.TAKE_SNAPSHOTS_AMID_COMMITS;
      open.inside = !open.late && comes(open, Kind.SNAPSHOT);
    } else if (open.snapshot == null && (open.inside || open.late)) {
      if (open.inside && fault == Fault.USE_A_SNAPSHOT_THAT_WAS_TAKEN_TOO_LATE) {
        open.late = true;
        leave(open);
      } else {
        takeSnapshot(open);
      }
    } else if (open.inside) {
      leave(open);
    }
  }

  private boolean comes(Open open, Kind kind) {
    open.pass = new SnapshotGate.Pass(kind, () -> open.inside = true);
    return gate.enter(open.pass);
  }

  private void leave(Open open) {
    open.inside = false;
    gate.leave(open.pass);
  }

  private String key() {
    int number = random.nextInt(KEYS);
    if (list(0, keys[number]).size() > LENGTH_MAX) {
      keys[number] = "k" + names++;
    }
    return keys[number];
  }

  private List<Integer> list(int server, String key) {
    return servers.get(server).computeIfAbsent(key, name -> new ArrayList<>());
  }

  private void takeSnapshot(Open open) {
    if (open.snapshot == null) {
      open.snapshot = new HashMap<>();
      servers.get(open.server).forEach((key, list) -> open.snapshot.put(key, list.size()));
    }
  }

  private void read(Open open) {
    takeSnapshot(open);
    String key = key();
    List<Integer> all = list(open.server, key);
    int length = open.snapshot.getOrDefault(key, 0);
    if ((open.isolation == Isolation.READ_COMMITTED && !open.comes)
        || (fault == Fault.READ_WITHOUT_SNAPSHOT && isRare())) {
      length = all.size();
    }
    List<Integer> seen = new ArrayList<>(all.subList(0, length));
    Open writes = locks.get(key);
    if (fault == Fault.READ_WHAT_IS_NOT_COMMITTED && writes != null && isRare()) {
      seen.addAll(writes.own.get(key));
    } else {
      seen.addAll(open.own.getOrDefault(key, List.of()));
    }
    open.steps.add(new Read(key, seen, open.steps.isEmpty() && open.comes ? open.came : ++clock));
    open.left--;
  }

  private void append(int client, Open open) {
    String key = key();
    Open other = locks.get(key);
    if (other != null && other != open) {
      if (random.nextInt(4) == 0) {
        end(client, open, Outcome.ABORTED);
      }
      return;
    }
    takeSnapshot(open);
    boolean stale =
        open.isolation == Isolation.REPEATABLE_READ
            && list(0, key).size() > open.snapshot.getOrDefault(key, 0)
            && !(fault == Fault.OVERWRITE_WHAT_THE_SNAPSHOT_LACKS && isRare());
    if (stale || random.nextInt(20) == 0) {
      end(client, open, Outcome.ABORTED);
    } else {
      locks.put(key, open);
      open.steps.add(new Append(key, ++elements, ++clock));
      open.own.computeIfAbsent(key, name -> new ArrayList<>()).add(elements);
      open.left--;
    }
  }

  /** It is decided, and goes to the others in any order. */
  private void decide(Open open) {
    open.commits = true;
    if (ofSnapshots && !open.own.isEmpty()) {
      open.comes = true;
      open.inside = comes(open, Kind.COMMIT);
    }
    for (int i = 1; i < SERVERS; i++) {
      open.behind.add(random.nextInt(open.behind.size() + 1), i);
    }
    if (fault == Fault.FORGET && isRare()) {
      open.own.clear();
    } else if (fault == Fault.REPEAT && isRare()) {
      open.own.values().forEach(appends -> appends.addAll(List.copyOf(appends)));
    }
  }

  /** Goes on with it: the leader is the last. */
  private void commit(int client, Open open) {
    if (fault == Fault.ACKNOWLEDGE_BEFORE_ALL_HAVE_IT && !open.acknowledged && isRare()) {
      history.add(done(open, Outcome.COMMITTED));
      open.acknowledged = true;
    } else if (open.own.isEmpty()) {
      end(client, open, Outcome.COMMITTED);
    } else if (open.comes && !open.inside) {
      return;
    } else if (!open.behind.isEmpty()) {
      write(open.behind.remove(0), open);
    } else if (fault == Fault.COMMIT_BY_HALF && open.own.size() > 1) {
      String first = open.own.keySet().iterator().next();
      list(0, first).addAll(open.own.remove(first));
    } else if (fault == Fault.LET_SNAPSHOTS_IN_BEFORE_THE_LEADER_HAS_IT && open.inside) {
      open.comes = false;
      leave(open);
    } else {
      write(0, open);
      end(client, open, random.nextInt(20) == 0 ? Outcome.UNKNOWN : Outcome.COMMITTED);
    }
  }

  private void write(int server, Open open) {
    open.own.forEach((key, appends) -> list(server, key).addAll(appends));
  }

  private Transaction done(Open open, Outcome outcome) {
    return new Transaction(
        open.isolation, open.server != 0 && !ofSnapshots, outcome, ++clock, open.steps);
  }

  private void end(int client, Open open, Outcome outcome) {
    if (!open.acknowledged) {
      history.add(done(open, outcome));
    }
    if (open.inside) {
      leave(open);
    }
    locks.values().removeIf(owner -> owner == open);
    clients[client] = null;
  }
}
