package io.mgtm.query.session;

import io.mgtm.query.config.QueryConfig.Reads;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.TransactionCommand;
import java.util.List;
import java.util.Set;

/**
 * At which servers a session reads, outside of transactions and in those that are READ ONLY, and
 * which of these reads need a snapshot of what the leader shows. Belongs to a session.
 */
final class Readers {
  /** Of these the first that takes a snapshot may come later. */
  private static final Set<String> WITHOUT_SNAPSHOT = Set.of("set", "reset", "show");

  private final ReplicatedSession session;
  private final ServerSet set;
  private final int turn;
  private Backend sticky;

  /** Whether the open transaction has its snapshot. */
  private boolean taken;

  /** Whether a server is asked to take one, for which commits wait. */
  private boolean taking;

  Readers(ReplicatedSession session, ServerSet set) {
    this.session = session;
    this.set = set;
    this.turn = session.shared().fleet().turn();
  }

  /** Whether reads everywhere see what the leader shows, and nothing else. */
  boolean areOfSnapshots() {
    return session.shared().config().reads() == Reads.SNAPSHOT;
  }

  private boolean leads(Backend one) {
    return one.node() == session.shared().fleet().leader();
  }

  /** Where a read goes. */
  Backend reader(Segment segment) {
    Backend reader = reader();
    boolean leader = tellsTypes(segment) || (areOfSnapshots() && needsLeader(reader, segment));
    return leader ? set.chosen() : reader;
  }

  /**
   * Whether it only tells what a statement is, or gives numbers of types that a client looks up at
   * the leader, which may have others. So is a cursor, which is there alone.
   */
  private static boolean tellsTypes(Segment segment) {
    return segment.simple() == null
        && (segment.executed().findAny().isEmpty()
            || segment.steps().stream().anyMatch(Readers::givesTypes));
  }

  private static boolean givesTypes(Step step) {
    return step.type() == 'B'
        && step.prepared() != null
        && step.prepared().columns().areTyped(step);
  }

  /** Whether the leader has to read what might be read by a snapshot elsewhere. */
  private boolean needsLeader(Backend reader, Segment segment) {
    // The isolation would be that of the replicator's own transaction.
    return isFar(reader)
        || segment.executed().count() > 1
        || segment.executed().anyMatch(Readers::tellsIsolation);
  }

  private static boolean tellsIsolation(Prepared prepared) {
    Statement statement = prepared.statement();
    return statement != null
        && (statement.word(0).equals("show") || statement.has("current_setting"));
  }

  /** The same server as before, unless another has less to do. */
  private Backend reader() {
    List<Backend> live = set.live();
    if (live.isEmpty() || set.isolation().isSerializable()) {
      return set.leader();
    }
    Backend best = live.get(Math.floorMod(turn, live.size()));
    for (Backend one : live) {
      best = one.node().running() < best.node().running() ? one : best;
    }
    boolean stay =
        sticky != null
            && live.contains(sticky)
            && sticky.node().running() <= best.node().running() + 1;
    sticky = stay ? sticky : best;
    return sticky;
  }

  /** Where a transaction begins: of those that are READ ONLY some at any server. */
  Backend of(TransactionCommand begin) {
    boolean anywhere =
        begin.readOnly()
            && !begin.isSerializable(set.isolation().isSerializable())
            && (!areOfSnapshots() || begin.isRepeatableRead(!set.isolation().isReadCommitted()))
            && !session.schema().temporaries().maySome();
    Backend reader = anywhere ? reader() : null;
    return reader == null || isFar(reader) ? set.chosen() : reader;
  }

  /**
   * Whether a server is of another major version than the one that decides what a client is told.
   */
  boolean isFar(Backend one) {
    Backend decides = set.homeOrLeader();
    return decides != null && decides.node().kind().major() != one.node().kind().major();
  }

  /** Whether the open transaction runs at a server that does not lead, and did not before. */
  boolean isAtFollower() {
    Node home = set.home().node();
    return !leads(set.home()) && home.isIn();
  }

  /** Whether what runs outside of transactions is to have a snapshot of its own. */
  boolean needsSnapshot(Backend reader, Segment segment) {
    return areOfSnapshots() && !leads(reader) && segment.executed().findAny().isPresent();
  }

  /** Whether the open transaction is to take its snapshot before it runs a segment. */
  boolean lacksSnapshot(Segment segment) {
    return areOfSnapshots()
        && !taken
        && set.status() == 'T'
        && isAtFollower()
        && segment.kind() != Segment.Kind.CONTROL
        && segment.kind() != Segment.Kind.REFUSED
        && segment.all().anyMatch(Readers::takesSnapshot);
  }

  private static boolean takesSnapshot(Prepared prepared) {
    Statement statement = prepared.statement();
    return statement != null && !WITHOUT_SNAPSHOT.contains(statement.word(0));
  }

  void took() {
    taken = true;
  }

  /** Whether a server is asked to take one, whose answer is read in any case. */
  boolean isTaking() {
    return taking;
  }

  void setTaking(boolean now) {
    taking = now;
    set.updateWaiting();
  }

  /** No transaction is open. */
  void transactionEnds() {
    taken = false;
  }
}
