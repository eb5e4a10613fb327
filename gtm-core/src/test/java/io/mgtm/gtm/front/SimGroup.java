package io.mgtm.gtm.front;

import io.mgtm.gtm.command.SequenceCommand;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * A group as a front sees it: a committed history, a leader with a suffix that is not committed yet
 * and may be lost with it, and the table of sessions as docs/link.md has it.
 */
final class SimGroup {
  /** What was executed in the history that survives. */
  record Executed(String command, String reply) {}

  private static final class Session {
    private final TreeMap<Long, String> replies = new TreeMap<>();
    private long last;

    Session copy() {
      Session copy = new Session();
      copy.replies.putAll(replies);
      copy.last = last;
      return copy;
    }
  }

  /** A reply that waits until the history has this length. */
  private record Held(SimLink link, long session, long number, String reply, int length) {}

  private final RandomGenerator random;
  private final SimTime time;
  private final List<SimNode> nodes = new ArrayList<>();
  private List<Executed> history = new ArrayList<>();
  private Map<Long, Session> sessions = new LinkedHashMap<>();
  private int committed;
  private List<Map<Long, Session>> snapshots = new ArrayList<>();
  private List<Held> held = new ArrayList<>();
  private SimNode leader;
  private long term;
  private int lossesLeft;

  SimGroup(RandomGenerator random, SimTime time, int losses) {
    this.random = random;
    this.time = time;
    this.lossesLeft = losses;
    for (int i = 1; i <= 3; i++) {
      nodes.add(new SimNode("g" + i, this));
    }
    snapshots.add(new HashMap<>());
  }

  List<SimNode> nodes() {
    return nodes;
  }

  SimNode leader() {
    return leader;
  }

  List<Executed> history() {
    return history.subList(0, committed);
  }

  /** The leader dies or is cut off: a random part of what it had not committed survives. */
  void loseLeader() {
    if (leader == null) {
      return;
    }
    int kept = committed + random.nextInt(history.size() - committed + 1);
    history = new ArrayList<>(history.subList(0, kept));
    snapshots = new ArrayList<>(snapshots.subList(0, kept + 1));
    sessions = copy(snapshots.get(kept));
    committed = kept;
    held.clear();
    SimNode old = leader;
    leader = null;
    if (random.nextBoolean()) {
      old.stepDown();
    } // Else it believes for a while that it leads, in its old term.
  }

  /** Some node leads in a new term. */
  void elect() {
    if (leader != null) {
      loseLeader();
    }
    term++;
    SimNode next = nodes.get(random.nextInt(nodes.size()));
    leader = next;
    for (SimNode node : nodes) {
      if (node != next && node.leading()) {
        time.after(random.nextInt(1_500), () -> node.stepDownBelow(term));
      }
    }
    next.lead(term);
    if (lossesLeft > 0 && random.nextInt(4) == 0) {
      lossesLeft--;
      sessions.clear();
      snapshots.set(snapshots.size() - 1, new HashMap<>());
    }
  }

  boolean knows(long session) {
    return sessions.containsKey(session);
  }

  void open(long session) {
    sessions.put(session, new Session());
    snapshots.set(snapshots.size() - 1, copy(sessions));
  }

  long last(long session) {
    return sessions.get(session).last;
  }

  void close(long session) {
    sessions.remove(session);
    snapshots.set(snapshots.size() - 1, copy(sessions));
  }

  /** A command has come to the leader. */
  void execute(
      SimLink link, long id, long number, long acked, io.mgtm.gtm.command.Command command) {
    Session session = sessions.get(id);
    String reply;
    if (session.replies.containsKey(number)) {
      reply = session.replies.get(number);
    } else if (command instanceof SequenceCommand.LastValue query) {
      reply = query.key() + "=?";
    } else {
      String key = ((SequenceCommand.NextValue) command).key();
      reply = key + "=" + history.size();
      session.replies.headMap(acked, true).clear();
      session.replies.put(number, reply);
      session.last = Math.max(session.last, number);
      history.add(new Executed(key, reply));
      snapshots.add(copy(sessions));
    }
    held.add(new Held(link, id, number, reply, history.size()));
    SimNode here = leader;
    long inTerm = term;
    time.afterNanos(
        random.nextInt(3_000_000),
        () -> {
          if (leader == here && term == inTerm) {
            commit();
          }
        });
  }

  private void commit() {
    committed = history.size();
    List<Held> now = held;
    held = new ArrayList<>();
    for (Held reply : now) {
      reply.link().nodeReplies(reply.session(), reply.number(), reply.reply());
      if (random.nextInt(50) == 0) {
        reply.link().nodeReplies(reply.session(), reply.number(), reply.reply());
      }
    }
  }

  private static Map<Long, Session> copy(Map<Long, Session> from) {
    Map<Long, Session> copy = new LinkedHashMap<>();
    from.forEach((id, session) -> copy.put(id, session.copy()));
    return copy;
  }
}
