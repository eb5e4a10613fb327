package io.mgtm.gtm.node;

import io.mgtm.gtm.command.BackupCommand;
import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.command.TransactionState;
import io.mgtm.gtm.state.GtmState;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/**
 * Remembers what clients were told, and holds a recovered state against it. A thing (a GID, a
 * sequence, a node) goes through stages; what was asked for and not answered may or may not have
 * happened.
 */
public final class Witness {
  /** A promise was broken. */
  public static final class BrokenPromise extends AssertionError {
    private static final long serialVersionUID = 1L;

    public BrokenPromise(String what) {
      super(what);
    }
  }

  /** Where one thing stands: what was acknowledged, and what was asked for last. */
  private static final class Progress {
    final int gone;
    int acknowledged;
    int asked;

    Progress(int gone) {
      this.gone = gone;
    }
  }

  public static final int STARTED = 1;
  public static final int PREPARED = 2;
  private static final int ENDED = 3;
  static final int THERE = 1;
  private static final int GONE = 2;

  private final Map<String, Progress> gids = new LinkedHashMap<>();
  private final Map<String, Progress> sequences = new LinkedHashMap<>();
  private final Map<String, Progress> nodes = new LinkedHashMap<>();
  private final Set<String> barriers = new HashSet<>();
  private final Map<String, Set<Long>> values = new HashMap<>();
  private final Set<Integer> gxids = new HashSet<>();
  private Integer lastGxid;

  /** A client got a gxid; replies of several connections may be seen in any order. */
  synchronized void gxid(int gxid) {
    if (!gxids.add(gxid)) {
      throw new BrokenPromise("gxid " + Integer.toUnsignedString(gxid) + " was given twice");
    }
    if (lastGxid == null || gxid - lastGxid > 0) {
      lastGxid = gxid;
    }
  }

  /** A client got a gxid after every other one that was seen. */
  public synchronized void nextGxid(int gxid) {
    if (lastGxid != null && gxid - lastGxid <= 0) {
      throw new BrokenPromise("gxid " + gxid + " was given after " + lastGxid);
    }
    gxid(gxid);
  }

  /** A client got a value of a sequence that does not cycle. */
  public synchronized void value(String key, long value) {
    if (!values.computeIfAbsent(key, k -> new HashSet<>()).add(value)) {
      throw new BrokenPromise("value " + value + " of " + key + " was given twice");
    }
  }

  public synchronized void barrier(String id) {
    barriers.add(id);
  }

  public synchronized void askGid(String gid, int stage) {
    ask(gids, gid, stage, ENDED);
  }

  public synchronized void askGidEnd(String gid) {
    ask(gids, gid, ENDED, ENDED);
  }

  public synchronized void answerGid(String gid, boolean done) {
    answer(gids.get(gid), done);
  }

  public synchronized void askSequence(String key) {
    ask(sequences, key, THERE, GONE);
  }

  public synchronized void askSequenceEnd(String key) {
    ask(sequences, key, GONE, GONE);
  }

  public synchronized void answerSequence(String key, boolean done) {
    answer(sequences.get(key), done);
  }

  public synchronized void askNode(String name) {
    ask(nodes, name, THERE, GONE);
  }

  public synchronized void askNodeEnd(String name) {
    ask(nodes, name, GONE, GONE);
  }

  public synchronized void answerNode(String name, boolean done) {
    answer(nodes.get(name), done);
  }

  private static void ask(Map<String, Progress> things, String name, int stage, int gone) {
    things.computeIfAbsent(name, n -> new Progress(gone)).asked = stage;
  }

  private static void answer(Progress progress, boolean done) {
    if (done) {
      progress.acknowledged = progress.asked;
    } else {
      progress.asked = progress.acknowledged;
    }
  }

  /** Holds a state that was recovered, and restarted, against what was acknowledged. */
  public void check(GtmState state) {
    var transactions =
        (TransactionReply.TransactionList) state.apply(new TransactionCommand.ListTransactions());
    Map<String, Integer> found = new HashMap<>();
    for (TransactionReply.TransactionInfo t : transactions.transactions()) {
      if (!t.state().outlivesSession()) {
        throw new BrokenPromise("gxid " + t.gxid() + " outlived a restart");
      }
      found.put(t.gid(), t.state() == TransactionState.PREPARED ? PREPARED : STARTED);
    }
    checkGids(found);
    found.clear();
    var list = (SequenceReply.SequenceList) state.apply(new SequenceCommand.ListAll());
    list.sequences().forEach(s -> found.put(s.key(), THERE));
    checkSequences(found);
    found.clear();
    var registered = (NodeReply.NodeList) state.apply(new NodeCommand.ListAll());
    for (NodeReply.NodeInfo node : registered.nodes()) {
      found.put(node.address().name(), THERE);
      if (node.connected()) {
        throw new BrokenPromise("node " + node.address().name() + " is connected to nobody");
      }
    }
    checkNodes(found);
    var remembered = (BackupReply.BarrierList) state.apply(new BackupCommand.ListBarriers());
    Set<String> ids = new HashSet<>();
    remembered.barriers().forEach(b -> ids.add(b.id()));
    if (!ids.containsAll(barriers)) {
      throw new BrokenPromise("barriers " + barriers + " became " + ids);
    }
  }

  /** Holds GIDs and how far each is prepared against what was acknowledged. */
  synchronized void checkGids(Map<String, Integer> found) {
    check("GID", gids, found);
  }

  /** Holds the keys of sequences against what was acknowledged. */
  synchronized void checkSequences(Map<String, Integer> found) {
    check("sequence", sequences, found);
  }

  /** Holds the names of nodes against what was acknowledged. */
  synchronized void checkNodes(Map<String, Integer> found) {
    check("node", nodes, found);
  }

  private static void check(String kind, Map<String, Progress> things, Map<String, Integer> found) {
    for (String name : found.keySet()) {
      if (!things.containsKey(name)) {
        throw new BrokenPromise(kind + " " + name + " came from nowhere");
      }
    }
    things.forEach(
        (name, progress) -> {
          int stage = found.getOrDefault(name, 0);
          boolean mayBeAbsent = progress.acknowledged == 0 || progress.asked == progress.gone;
          boolean possible =
              stage == 0 ? mayBeAbsent : stage >= progress.acknowledged && stage <= progress.asked;
          if (!possible) {
            throw new BrokenPromise(
                "%s %s is at stage %d: %d was acknowledged, %d asked for"
                    .formatted(kind, name, stage, progress.acknowledged, progress.asked));
          }
          int actual = stage == 0 && progress.acknowledged > 0 ? progress.gone : stage;
          progress.acknowledged = actual;
          progress.asked = actual;
        });
  }
}
