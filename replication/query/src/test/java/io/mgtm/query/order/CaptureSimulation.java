package io.mgtm.query.order;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;

/**
 * A statement whose triggers write rows of the same table, within one another and in parts that are
 * undone, and another server that is given what the replicator's trigger has noted: what {@code
 * mgtm.mgtm_effects} does, in Java. Rows have a key and a column that is unique; both may wander
 * from row to row.
 */
final class CaptureSimulation {
  /** What is done wrong, to see that it is found. */
  enum Fault {
    NONE,
    /** The trigger does not fire for some row. */
    MISSES_A_ROW,
    /** What was noted is done again in the order in which triggers fired. */
    IN_THE_ORDER_OF_TRIGGERS,
    /** What was noted outlives what it tells of, as messages of a server do. */
    KEEPS_WHAT_WAS_UNDONE,
    /** A row that is there before and after is always updated in its place. */
    UPDATES_IN_PLACE,
    /** Rows are inserted before others are deleted. */
    INSERTS_FIRST
  }

  private static final int KEYS = 5;
  private static final int DEPTH = 3;

  /** A row without its key. */
  private record Row(int unique, int value) {}

  /** A row came, went or was changed: null where there was none. */
  private record Event(Integer oldKey, Row oldRow, Integer newKey, Row newRow) {}

  private final Random random;
  private final Fault fault;

  /** Whether the replicator's trigger fires before those of users. */
  private final boolean capturesFirst;

  private TreeMap<Integer, Row> leader = new TreeMap<>();
  private final TreeMap<Integer, Row> other;
  private List<Event> captured = new ArrayList<>();
  private int values;

  CaptureSimulation(long seed, Fault fault) {
    this.random = new Random(seed);
    this.fault = fault;
    this.capturesFirst = random.nextBoolean();
    for (int key = 0; key < KEYS; key += 1 + random.nextInt(2)) {
      leader.put(key, new Row(key, values++));
    }
    other = new TreeMap<>(leader);
  }

  /** Runs statements, each of which the other server is given. */
  void run(int statements) {
    for (int i = 0; i < statements; i++) {
      captured.clear();
      query(0);
      if (fault == Fault.IN_THE_ORDER_OF_TRIGGERS) {
        captured.forEach(this::again);
      } else {
        give();
      }
      require(leader.equals(other), "the leader has %s, the other %s".formatted(leader, other));
    }
  }

  // ---- the leader ------------------------------------------------------------------------------

  /** One query: its rows first, and then their triggers. */
  private void query(int depth) {
    List<Event> events = new ArrayList<>();
    for (int i = random.nextInt(3); i >= 0; i--) {
      Event event = event();
      if (event != null) {
        events.add(event);
      }
    }
    for (Event event : events) {
      if (capturesFirst) {
        capture(event);
      }
      if (depth < DEPTH && random.nextInt(3) == 0) {
        part(depth + 1);
      }
      if (!capturesFirst) {
        capture(event);
      }
    }
  }

  private void part(int depth) {
    TreeMap<Integer, Row> before = new TreeMap<>(leader);
    List<Event> capturedBefore = new ArrayList<>(captured);
    query(depth);
    if (random.nextInt(3) == 0) {
      leader = before;
      captured = fault == Fault.KEEPS_WHAT_WAS_UNDONE ? captured : capturedBefore;
    }
  }

  private void capture(Event event) {
    if (fault != Fault.MISSES_A_ROW || random.nextInt(5) > 0) {
      captured.add(event);
    }
  }

  /** One row; null where a constraint would not let it be. */
  private Event event() {
    int key = random.nextInt(KEYS);
    Row row = leader.get(key);
    Row made = new Row(random.nextInt(KEYS), values++);
    if (row == null) {
      return may(key, made, null) ? done(new Event(null, null, key, made)) : null;
    }
    if (random.nextInt(3) == 0) {
      return done(new Event(key, row, null, null));
    }
    int to = random.nextBoolean() ? key : random.nextInt(KEYS);
    Row now = random.nextBoolean() ? made : new Row(row.unique, made.value);
    return may(to, now, key) ? done(new Event(key, row, to, now)) : null;
  }

  private boolean may(int key, Row row, Integer inPlaceOf) {
    return leader.entrySet().stream()
        .filter(one -> !one.getKey().equals(inPlaceOf))
        .noneMatch(one -> one.getKey() == key || one.getValue().unique == row.unique);
  }

  private Event done(Event event) {
    if (event.oldKey != null) {
      leader.remove(event.oldKey);
    }
    if (event.newKey != null) {
      leader.put(event.newKey, event.newRow);
    }
    return event;
  }

  // ---- the replicator --------------------------------------------------------------------------

  private void give() {
    Map<Integer, Integer> net = new HashMap<>();
    Map<Integer, Boolean> same = new HashMap<>();
    for (Event event : captured) {
      image(event.oldKey, event.oldRow, -1, net, same);
      image(event.newKey, event.newRow, 1, net, same);
    }
    List<Runnable> deletes = new ArrayList<>();
    List<Runnable> updates = new ArrayList<>();
    List<Runnable> inserts = new ArrayList<>();
    net.forEach(
        (key, count) -> {
          Row now = leader.get(key);
          int before = (now == null ? 0 : 1) - count;
          require(before == 0 || before == 1, "what was captured is not whole");
          boolean inPlace = same.get(key) || fault == Fault.UPDATES_IN_PLACE;
          if (before == 1 && now != null && inPlace) {
            updates.add(() -> update(key, now));
            return;
          }
          if (before == 1) {
            deletes.add(() -> delete(key));
          }
          if (now != null) {
            inserts.add(() -> insert(key, now));
          }
        });
    if (fault == Fault.INSERTS_FIRST) {
      inserts.forEach(Runnable::run);
      inserts.clear();
    }
    deletes.forEach(Runnable::run);
    updates.forEach(Runnable::run);
    inserts.forEach(Runnable::run);
  }

  private void image(
      Integer key, Row row, int count, Map<Integer, Integer> net, Map<Integer, Boolean> same) {
    if (key != null) {
      net.merge(key, count, Integer::sum);
      Row now = leader.get(key);
      same.merge(key, now != null && now.unique == row.unique, Boolean::logicalAnd);
    }
  }

  // ---- the other server ------------------------------------------------------------------------

  private void again(Event event) {
    if (event.oldKey == null) {
      insert(event.newKey, event.newRow);
    } else if (Objects.equals(event.oldKey, event.newKey)) {
      update(event.newKey, event.newRow);
    } else {
      delete(event.oldKey);
      if (event.newKey != null) {
        insert(event.newKey, event.newRow);
      }
    }
  }

  private void delete(int key) {
    require(other.remove(key) != null, "a row is not there that is deleted");
  }

  private void update(int key, Row row) {
    require(other.remove(key) != null, "a row is not there that is updated");
    insert(key, row);
  }

  private void insert(int key, Row row) {
    require(
        !other.containsKey(key)
            && other.values().stream().noneMatch(one -> one.unique == row.unique),
        "a row is not unique");
    other.put(key, row);
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
