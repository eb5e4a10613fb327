package io.mgtm.query.order;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/**
 * Servers that die, and replicators that die and begin again, while transactions are written: what
 * the log, positions and fences are for, at the order of steps that the replicator keeps to. Every
 * transaction adds to a counter, so that one that is done twice shows, and sets a value, so that
 * one out of order does.
 */
final class OrderSimulation {
  /** What is done wrong, to see that it is found. */
  enum Fault {
    NONE,
    COMMIT_BEFORE_THE_LOG,
    POSITION_APART,
    NO_FENCE,
    REPLAY_WITHOUT_LOOKING,
    LET_IN_BEFORE_ALL_IS_THERE
  }

  private static final String DATABASE = "app";
  private static final int SLOTS = 4;
  private static final int KEYS = 3;
  private static final int SERVERS = 3;

  /** A COMMIT that is on its way to a server. */
  private record Sent(int session, long number, long settled, long fence, int key) {}

  /** A plain PostgreSQL server. */
  private static final class Server {
    final Map<Integer, Integer> counters = new HashMap<>();
    final Map<Integer, Long> values = new HashMap<>();
    final TreeMap<Integer, long[]> rows = new TreeMap<>();
    final List<Sent> arriving = new ArrayList<>();
    boolean up = true;
    boolean in = true;
    long fence;
    long knownFence;

    Position position() {
      Position position = new Position();
      rows.forEach((slot, row) -> position.row(slot, row[0], row[1], fence));
      return position;
    }

    void write(int key, long number) {
      counters.merge(key, 1, Integer::sum);
      values.put(key, number);
    }
  }

  /** A session of the replicator, with what it is about to do. */
  private static final class Session {
    int key = -1;
    long number;
    Set<Integer> unanswered = new HashSet<>();
    boolean leaderAsked;
  }

  private final Random random;
  private final Fault fault;
  private final List<Server> servers = new ArrayList<>();
  private final List<Entry> log = new ArrayList<>();
  private final OrderState state = new OrderState();
  private final Session[] sessions = new Session[SLOTS];
  private final Set<Integer> locked = new HashSet<>();
  private final Map<Long, Integer> acknowledged = new HashMap<>();
  private int leader;

  OrderSimulation(long seed, Fault fault) {
    this.random = new Random(seed);
    this.fault = fault;
    for (int i = 0; i < SERVERS; i++) {
      servers.add(new Server());
    }
    begin();
  }

  /** Runs for a while, and lets all come back. */
  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      int what = random.nextInt(100);
      if (what < 2) {
        begin();
      } else if (what < 4) {
        dies(random.nextInt(SERVERS));
      } else if (what < 10) {
        comesBack(random.nextInt(SERVERS));
      } else if (what < 50) {
        arrives(servers.get(random.nextInt(SERVERS)));
      } else {
        step(random.nextInt(SLOTS));
      }
    }
    begin();
    for (int i = 0; i < SERVERS; i++) {
      comesBack(i);
    }
    for (Server server : servers) {
      while (!server.arriving.isEmpty()) {
        arrives(server);
      }
    }
    check();
  }

  private void append(Entry entry) {
    ByteBuffer encoded = entry.encoded();
    state.apply(Entry.decoded(encoded));
    log.add(Entry.decoded(encoded));
  }

  private long settled() {
    long lowest = state.last() + 1;
    for (Session session : sessions) {
      if (session.number > 0) {
        lowest = Math.min(lowest, session.number);
      }
    }
    return lowest - 1;
  }

  // ---- a session -------------------------------------------------------------------------------

  private void step(int slot) {
    Session session = sessions[slot];
    if (session.key < 0) {
      int key = random.nextInt(KEYS);
      if (locked.add(key)) {
        session.key = key;
      }
    } else if (session.number == 0) {
      decide(slot, session);
    } else if (session.unanswered.isEmpty() && !session.leaderAsked) {
      session.leaderAsked = true;
      send(leader, slot, session);
    }
  }

  private void decide(int slot, Session session) {
    long number = state.last() + 1;
    ByteBuffer effects = ByteBuffer.allocate(Integer.BYTES).putInt(0, session.key);
    Entry entry = new Entry.Commits(number, settled(), List.of(new Part(DATABASE, slot, effects)));
    session.number = number;
    for (int i = 0; i < SERVERS; i++) {
      if (servers.get(i).in && i != leader) {
        session.unanswered.add(i);
        send(i, slot, session);
      }
    }
    if (fault == Fault.COMMIT_BEFORE_THE_LOG && random.nextInt(10) == 0) {
      // One server has it, and the entry is lost with the replicator.
      arrives(servers.get((leader + 1) % SERVERS));
      begin();
      return;
    }
    append(entry);
  }

  private void send(int to, int slot, Session session) {
    Server server = servers.get(to);
    server.arriving.add(new Sent(slot, session.number, settled(), server.knownFence, session.key));
  }

  private void answered(int from, Sent sent, boolean committed) {
    Session session = sessions[sent.session];
    if (session.number != sent.number || servers.get(from).knownFence != sent.fence) {
      return; // Of a replicator that is gone.
    }
    if (!committed) {
      throw new AssertionError("a commit of this replicator's was refused");
    }
    if (from == leader && session.leaderAsked) {
      acknowledge(session);
    } else {
      session.unanswered.remove(from);
    }
  }

  private void acknowledge(Session session) {
    acknowledged.put(session.number, session.key);
    locked.remove(session.key);
    session.key = -1;
    session.number = 0;
    session.leaderAsked = false;
    session.unanswered.clear();
  }

  // ---- a server --------------------------------------------------------------------------------

  private void arrives(Server server) {
    if (!server.up || server.arriving.isEmpty()) {
      return;
    }
    Sent sent = server.arriving.remove(random.nextInt(server.arriving.size()));
    if (sent.fence != server.fence) {
      answered(servers.indexOf(server), sent, false);
      return;
    }
    server.write(sent.key, sent.number);
    if (fault == Fault.POSITION_APART && random.nextInt(10) == 0) {
      dies(servers.indexOf(server));
      return;
    }
    server.rows.put(sent.session, new long[] {sent.number, sent.settled});
    answered(servers.indexOf(server), sent, true);
  }

  private void dies(int number) {
    Server server = servers.get(number);
    server.arriving.clear();
    server.up = false;
    long others = servers.stream().filter(s -> s.in && s != server).count();
    if (!server.in || others == 0) {
      server.up = true; // The last one: it is started again at once, and its sessions end.
      if (server.in) {
        begin();
      }
      return;
    }
    server.in = false;
    append(
        new Entry.Server(
            state.last() + 1,
            Integer.toString(number),
            new ServerState(ServerState.Status.AWAY, "dead", 0)));
    if (leader == number) {
      leader = servers.indexOf(servers.stream().filter(s -> s.in).findFirst().orElseThrow());
      begin();
    } else {
      for (Session session : sessions) {
        session.unanswered.remove(number);
      }
    }
  }

  private void comesBack(int number) {
    Server server = servers.get(number);
    if (server.in) {
      return;
    }
    server.up = true;
    takeOver(server);
    boolean quiet = settled() == state.last();
    if (!quiet && fault != Fault.LET_IN_BEFORE_ALL_IS_THERE) {
      replay(server, settled());
      return;
    }
    replay(server, settled());
    server.in = true;
    append(new Entry.Server(state.last() + 1, Integer.toString(number), ServerState.in(0)));
  }

  private void takeOver(Server server) {
    long fence = state.last() + 1;
    append(new Entry.Fence(fence));
    if (fault != Fault.NO_FENCE) {
      server.fence = fence;
    }
    server.knownFence = server.fence;
  }

  private void replay(Server server, long upTo) {
    Map<String, Position> positions = Map.of(DATABASE, server.position());
    for (Entry entry : List.copyOf(log)) {
      if (entry.number() > upTo) {
        return;
      }
      List<Part> parts = Misses.of(entry, positions, state.dropped()).parts();
      if (fault == Fault.REPLAY_WITHOUT_LOOKING && entry instanceof Entry.Commits commits) {
        parts = commits.number() > server.position().settled() ? commits.parts() : parts;
      }
      for (Part part : parts) {
        server.write(part.effects().getInt(0), entry.number());
        server.rows.put(
            part.slot(), new long[] {entry.number(), ((Entry.Commits) entry).settled()});
        positions.get(DATABASE).took(entry.number(), part.slot());
      }
    }
  }

  // ---- a replicator ----------------------------------------------------------------------------

  /** The one of before is gone, with what it knew; what it sent is still on its way. */
  private void begin() {
    locked.clear();
    for (int i = 0; i < SLOTS; i++) {
      sessions[i] = new Session();
    }
    for (Server server : servers) {
      if (server.in) {
        takeOver(server);
        replay(server, state.last());
      }
    }
  }

  private void check() {
    Map<Integer, Integer> counters = new HashMap<>();
    Map<Integer, Long> values = new HashMap<>();
    for (Entry entry : log) {
      if (entry instanceof Entry.Commits commits) {
        int key = commits.parts().get(0).effects().getInt(0);
        counters.merge(key, 1, Integer::sum);
        values.put(key, entry.number());
      }
    }
    for (long number : acknowledged.keySet()) {
      boolean there =
          log.stream().anyMatch(e -> e instanceof Entry.Commits && e.number() == number);
      require(there, "transaction %d was acknowledged and is lost".formatted(number));
    }
    for (Server server : servers) {
      require(server.in, "a server is out");
      require(
          server.counters.equals(counters),
          "a server has %s, the log %s".formatted(server.counters, counters));
      require(
          server.values.equals(values),
          "a server has %s, the log %s".formatted(server.values, values));
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
