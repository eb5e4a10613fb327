package io.mgtm.query.order;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Servers and replicators as {@link TakeoverSimulation} has them. */
final class TakeoverParts {
  static final String DATABASE = "app";
  static final int SLOTS = 3;

  /** What is done wrong, to see that it is found. */
  enum Fault {
    NONE,
    SERVE_BEFORE_ALL_IS_THERE,
    NO_FENCE,
    SEND_BEFORE_IT_IS_COMMITTED,
    BEGIN_WITH_AN_OLDER_LOG,
    IN_DOUBT_IS_DONE,
    PUT_OUT_UNDER_ANOTHERS_LEASE,
    SESSIONS_OUTLIVE_A_TENURE,
    POSITION_READ_AFTER_THE_SNAPSHOT,
    ADDED_BEFORE_ALL_IS_THERE,
    TOKENS_ARE_NOT_LOOKED_AT,
    POSITION_READ_BEFORE_WHAT_IS_PREPARED_IS_ROLLED_BACK,
    NOBODY_LOOKS_FOR_WHAT_IS_PREPARED,
    PROMISED_BEFORE_IT_IS_COMMITTED,
    WHAT_CLIENTS_HAVE_PREPARED_IS_NOT_TAKEN_UP,
    COMES_IN_WITHOUT_WHAT_CLIENTS_HAVE_PREPARED,
    WHAT_CLIENTS_HAVE_PREPARED_STAYS_AS_IT_IS
  }

  private TakeoverParts() {}

  /** A transaction of a session; its locks are at servers. */
  static final class Transaction {
    final Replicator of;
    final int slot;
    final int key;
    final Set<Server> unanswered = new HashSet<>();
    long number;
    long settled;
    boolean decided;

    /** By which the leader prepares it before it is decided, or null. */
    final UUID token;

    /** Which server led when it began. */
    final Server at;

    /** What that was asked last, and has done. */
    Ask asked;

    Ask done;

    /** What it is for a client that prepares by itself, else null. */
    final Role role;

    Transaction(Replicator of, int slot, int key, UUID token, Role role) {
      this.of = of;
      this.slot = slot;
      this.key = key;
      this.token = token;
      this.role = role;
      this.at = of.in.get(0);
    }

    boolean isCommit() {
      return role == null || role == Role.COMMITS;
    }

    Part part(UUID by) {
      return new Part(DATABASE, slot, ByteBuffer.allocate(Integer.BYTES).putInt(0, key), by);
    }

    /** What the leader is asked next. */
    Ask next() {
      if (token == null) {
        return Ask.COMMIT;
      }
      if (role == Role.COMMITS) {
        return done == null ? Ask.COMMIT_PREPARED : Ask.NOTE;
      }
      if (role == Role.ROLLS_BACK) {
        return Ask.ROLLBACK_PREPARED;
      }
      return done == null ? Ask.PREPARE : done == Ask.PREPARE ? Ask.COMMIT_PREPARED : Ask.NOTE;
    }
  }

  /** What a client does that prepares by itself. */
  enum Role {
    PREPARES,
    COMMITS,
    ROLLS_BACK
  }

  /** What a server is asked. */
  enum Ask {
    COMMIT,
    PREPARE,
    COMMIT_PREPARED,
    ROLLBACK_PREPARED,
    NOTE
  }

  /** What a server has prepared. */
  record Held(int key, long fence, boolean ofClient) {}

  /** It is on its way to a server. */
  record Sent(Transaction of, Ask what, long settled, long fence) {}

  /** A plain PostgreSQL server. */
  static final class Server {
    final String name;
    final Map<Integer, Integer> counters = new HashMap<>();
    final Map<Integer, Long> values = new HashMap<>();
    final TreeMap<Integer, long[]> rows = new TreeMap<>();

    /** By transactions, and by the tokens of what is prepared. */
    final Map<Integer, Object> locks = new HashMap<>();

    final List<Sent> arriving = new ArrayList<>();
    final Map<UUID, Held> prepared = new HashMap<>();
    final Set<UUID> committed = new HashSet<>();
    long settled;
    long fence;

    /** It is one of the servers, or a copy of one. */
    boolean copied;

    Server(String name) {
      this.name = name;
    }

    Map<String, Position> positions() {
      Position position = new Position();
      position.row(-1, 0, settled, fence);
      rows.forEach((slot, row) -> position.row(slot, row[0], row[1], fence));
      committed.forEach(position::committed);
      return Map.of(DATABASE, position);
    }

    /** Those of other fences; 0 for all. */
    void rollBackPrepared(long butOf) {
      prepared
          .entrySet()
          .removeIf(
              one ->
                  one.getValue().fence != butOf && locks.remove(one.getValue().key, one.getKey()));
    }

    /** False where it is not there. */
    boolean rollBack(UUID token) {
      Held held = prepared.remove(token);
      return held != null && locks.remove(held.key, token);
    }

    /** False when it waits for a lock. */
    boolean prepare(UUID token, Held held) {
      boolean free = locks.putIfAbsent(held.key, token) == null;
      if (free) {
        prepared.put(token, held);
      }
      return free;
    }

    /** Whether what it is asked finds what it is about. */
    boolean knows(Sent sent) {
      Transaction open = sent.of;
      return switch (sent.what) {
        case NOTE -> true;
        case COMMIT, PREPARE -> locks.get(open.key) == open;
        case COMMIT_PREPARED, ROLLBACK_PREPARED -> prepared.containsKey(open.token);
      };
    }

    void note(int slot, UUID token, long number, long settledThen) {
      rows.put(slot, new long[] {number, settledThen});
      committed.remove(token);
    }

    void write(int key, long number) {
      counters.merge(key, 1, Integer::sum);
      values.put(key, number);
    }

    /** Does what it is asked, if it does. */
    boolean does(Sent sent) {
      Transaction open = sent.of();
      boolean fenced = sent.fence() != fence;
      switch (sent.what()) {
        case PREPARE -> {
          locks.remove(open.key);
          return prepare(open.token, new Held(open.key, sent.fence(), open.role != null));
        }
        case ROLLBACK_PREPARED -> {
          return rollBack(open.token);
        }
        case COMMIT_PREPARED -> {
          boolean is = rollBack(open.token);
          if (is) {
            write(open.key, open.number);
            committed.add(open.token);
          }
          return is;
        }
        case NOTE -> {
          boolean may = !fenced && committed.contains(open.token);
          if (may) {
            note(open.slot, open.token, open.number, sent.settled());
          }
          return may;
        }
        default -> {
          locks.values().remove(open);
          if (!fenced) {
            write(open.key, open.number);
            note(open.slot, open.token, open.number, sent.settled());
          }
          return !fenced;
        }
      }
    }

    /** Does what the log says; false when it waits for a lock. */
    boolean writes(Part part, long number) {
      int key = part.effects().getInt(0);
      boolean free = !locks.containsKey(key);
      if (free) {
        write(key, number);
      }
      return free;
    }

    /** All that is committed there, at one moment. */
    void isCopyOf(Server other) {
      counters.clear();
      counters.putAll(other.counters);
      values.clear();
      values.putAll(other.values);
      locks.clear();
      prepared.clear();
      other.prepared.forEach(this::prepare);
      arriving.clear();
      hasPositionOf(other);
      fence = other.fence;
      copied = true;
    }

    void hasPositionOf(Server other) {
      rows.clear();
      rows.putAll(other.rows);
      committed.clear();
      committed.addAll(other.committed);
      settled = other.settled;
    }

    /** What an entry of the log says. */
    void does(Entry entry) {
      if (entry instanceof Entry.Commits commits) {
        commits.parts().forEach(part -> write(part.effects().getInt(0), entry.number()));
      }
    }

    /** A connection ends; what was sent over it before is still done. */
    void closes(Transaction of) {
      if (arriving.stream().noneMatch(sent -> sent.of == of)) {
        locks.remove(of.key, of);
      }
    }
  }

  /** One of the group: what it knows while it leads, or believes so. */
  static final class Replicator {
    final List<Entry> log = new ArrayList<>();
    final Map<Server, Long> fences = new HashMap<>();
    final Map<Server, Map<String, Position>> positions = new HashMap<>();
    final Transaction[] sessions = new Transaction[SLOTS];
    final List<Server> in = new ArrayList<>();
    OrderState state = new OrderState();
    boolean leads;
    boolean lease;
    boolean serves;
    long fence;
    int taken;

    long settled() {
      long lowest = state.last() + 1;
      for (Transaction one : sessions) {
        if (one != null && one.number > 0 && one.isCommit()) {
          lowest = Math.min(lowest, one.number);
        }
      }
      return lowest - 1;
    }

    boolean isQuiet() {
      return Arrays.stream(sessions).allMatch(one -> one == null || one.number == 0);
    }

    boolean knows(Server server) {
      return state.servers().containsKey(server.name);
    }

    /** All that are to be in are. */
    boolean hasAllIn() {
      return serves && in.size() == state.servers().size() && in.stream().allMatch(this::knows);
    }
  }

  /** What is committed is at all servers, once and in order, and what was acknowledged is that. */
  static void check(
      List<Entry> committed,
      Map<Integer, Integer> acknowledged,
      Set<Long> acknowledgedNumbers,
      Replicator leader) {
    Server expected = new Server("expected");
    committed.forEach(expected::does);
    for (long number : acknowledgedNumbers) {
      require(
          committed.stream().anyMatch(e -> e instanceof Entry.Commits && e.number() == number),
          "transaction %d was acknowledged and is lost".formatted(number));
    }
    acknowledged.forEach(
        (key, count) ->
            require(
                expected.counters.getOrDefault(key, 0) >= count, "an acknowledged one is lost"));
    require(leader.hasAllIn(), "a server is out");
    for (Server server : leader.in) {
      require(
          server.prepared.keySet().stream().allMatch(leader.state::isPrepared),
          "something is prepared for ever");
      require(
          server.counters.equals(expected.counters) && server.values.equals(expected.values),
          "a server has %s, %s, the log %s, %s"
              .formatted(server.counters, server.values, expected.counters, expected.values));
    }
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
