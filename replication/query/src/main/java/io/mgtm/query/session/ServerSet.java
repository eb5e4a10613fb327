package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.fleet.LabelRenames;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.wire.ErrorFields;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * A session's backends, and the transaction that is open in them. Belongs to the session's loop.
 *
 * <p>At the leader a transaction begins when the client says so, or with a statement that writes;
 * at the others with the first effect. What a statement did at the leader is sent to the others
 * after the leader has answered, and the leader commits last: whoever holds a lock at another
 * server holds it at the leader too, and who has got it at the leader finds it free at the others.
 */
final class ServerSet {
  /**
   * For transactions of a client's role: by these a server would give up what the leader has done,
   * or while the leader is at work.
   */
  static final List<String> NO_TIMEOUTS =
      List.of(
          "SET LOCAL statement_timeout = 0",
          "SET LOCAL lock_timeout = 0",
          "SET LOCAL idle_in_transaction_session_timeout = 0");

  static final String BEGIN_EFFECTS =
      "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " + String.join("; ", NO_TIMEOUTS);

  /** One that no client has, so that to go back to it fails. */
  private static final String NO_SAVEPOINT = "\"no savepoint " + UUID.randomUUID() + "\"";

  private final Fleet fleet;
  private final ReplicatedSession session;

  /** Is added to by the session's loop alone; any thread reads it. */
  private final List<Backend> all = new CopyOnWriteArrayList<>();

  private final Doubts doubts = new Doubts();
  private final Redo redo = new Redo();
  private final Cursors cursors = new Cursors();
  private final ClientTimeouts timeouts = new ClientTimeouts();
  private final DefaultIsolation isolation;
  private final Readers readers;
  private final Savepoints savepoints = new Savepoints(redo, doubts, cursors);
  private Backend home;
  private Backend chosen;

  /** Where it has locks, or listens, whatever becomes of its transactions; or null. */
  private Node keeper;

  private boolean wrapped;
  private char status = 'I';
  private boolean readOnly;
  private LabelRenames.Of labels;
  private long leaderNanos;

  ServerSet(Fleet fleet, ReplicatedSession session) {
    this.fleet = fleet;
    this.session = session;
    this.isolation = new DefaultIsolation(session);
    this.readers = new Readers(session, this);
  }

  void add(Backend backend) {
    all.removeIf(before -> before.node() == backend.node() && before.isGone());
    all.add(backend);
  }

  List<Backend> all() {
    return all;
  }

  /** Any thread. */
  List<Integer> pidsAt(Node node) {
    return all.stream().filter(b -> b.node() == node).map(b -> b.connection().pid()).toList();
  }

  List<Backend> live() {
    return all.stream().filter(b -> !b.isGone() && b.node().isIn()).toList();
  }

  /** Whether a server is in that this session has no connection to. */
  boolean isStale() {
    return missing() != null;
  }

  /** A server that is in and that this session has no connection to, or null. */
  Node missing() {
    return fleet.in().stream()
        .filter(node -> all.stream().noneMatch(b -> b.node() == node && !b.isGone()))
        .findFirst()
        .orElse(null);
  }

  /** The leader's backend, or null when there is none left. */
  Backend leader() {
    Node leader = fleet.leader();
    return all.stream().filter(b -> b.node() == leader && !b.isGone()).findFirst().orElse(null);
  }

  /** Keeps to the leader of now until called again. */
  void choose() {
    chosen = leader();
  }

  /** The leader that was chosen; null when there was none. */
  Backend chosen() {
    return chosen;
  }

  /** A server is given what outlives transactions, and what no other has. */
  void keepAt(Node node) {
    keeper = node;
  }

  /** Whether a server has, or had, what no other has of the session. */
  boolean keepsAt(Node node) {
    return keeper == node || session.schema().temporaries().areAt(node);
  }

  /** Others begin to wait for what servers answer, or wait no longer. */
  void updateWaiting() {
    if (!session.client().isWritable()) {
      updateReading();
    }
  }

  /** What servers answer is read unless the client takes no more; or others wait for it. */
  void updateReading() {
    boolean reads = session.client().isWritable() || session.isCommitting() || readers.isTaking();
    live().forEach(one -> one.channel().config().setAutoRead(reads));
  }

  /** Where reads go. */
  Readers readers() {
    return readers;
  }

  /** Where the open transaction runs, or null. */
  Backend home() {
    return home;
  }

  /** Where what is for one server runs: the open transaction's, or the leader that was chosen. */
  Backend homeOrLeader() {
    return home == null ? chosen : home;
  }

  char status() {
    return status;
  }

  void setStatus(char now) {
    status = now;
    if (now == 'I') {
      home = null;
      wrapped = false;
      savepoints.clear();
      doubts.end();
      redo.clear();
      cursors.end();
      timeouts.end();
      leaderNanos = 0;
      readOnly = false;
      readers.transactionEnds();
      session.turn().end();
      session.failover().setMoved(false);
      session.schema().ended();
    }
  }

  /** Whether the transaction is the replicator's, around statements outside of the client's. */
  boolean isWrapped() {
    return wrapped;
  }

  void unwrap() {
    wrapped = false;
  }

  /** Whether the open transaction began as READ ONLY. */
  boolean isReadOnly() {
    return readOnly;
  }

  void beginReadOnly() {
    readOnly = true;
  }

  void begin(Backend at, boolean asWrapped) {
    home = at;
    wrapped = asWrapped;
    labels = session.shared().commits().labels().begin(session.schema().database());
    status = 'T';
  }

  /** What the open transaction has to do with labels of enums that are renamed. */
  LabelRenames.Of labels() {
    return session.schema().isRelabelled() ? labels.renaming() : labels;
  }

  /** What others have not done as the leader did. */
  Doubts doubts() {
    return doubts;
  }

  /** What the open transaction has done, as the log is to have it. */
  Redo redo() {
    return redo;
  }

  /** Those that the client has at the leader. */
  ClientTimeouts timeouts() {
    return timeouts;
  }

  DefaultIsolation isolation() {
    return isolation;
  }

  Savepoints savepoints() {
    return savepoints;
  }

  /** Those that are known. */
  Cursors cursors() {
    return cursors;
  }

  /** Whether rows that are fetched are read: else the query of their cursor may write. */
  boolean isRead(Statement fetch) {
    return home == null || status != 'T' || readOnly || cursors.knows(fetch);
  }

  /** What of these is about cursors is run. */
  void useCursors(Stream<Prepared> executed) {
    cursors.run(executed, home != null, savepoints.count());
  }

  /** Those but home, in which effects are. */
  List<Backend> written() {
    return all.stream()
        .filter(b -> b != home && b.isInTransaction() && !b.isGone() && b.node().isIn())
        .toList();
  }

  /** How long the leader took for what the open transaction has written. */
  long leaderNanos() {
    return leaderNanos;
  }

  /** Lets the others do what the leader did, in that time. */
  void apply(Effects effects, long nanos) {
    leaderNanos += nanos;
    redo.add(effects, session.settings().query());
    Doubts.Given given = doubts.next();
    for (Backend other : live()) {
      if (other != home) {
        join(other);
        effects.sendTo(other, given);
      }
    }
  }

  /** Begins a transaction at another server, where none is open. */
  void join(Backend other) {
    if (other.isInTransaction()) {
      return;
    }
    StringBuilder sql = new StringBuilder(BEGIN_EFFECTS);
    savepoints.names().forEach(name -> sql.append("; SAVEPOINT ").append(Quoting.name(name)));
    other.ask(sql.toString(), unless(other, 'T', Difference::notBegun));
    other.setInTransaction(true);
  }

  /** What it is put out for when it is in another state then. */
  private Answer unless(Backend other, char then, Function<ErrorFields, Difference> why) {
    return Answer.of(
        (tag, error, now) -> {
          if (now != then) {
            differs(other, why.apply(error));
          }
        },
        () -> {});
  }

  /** Another server has not done what the leader did. */
  void differs(Backend other, Difference what) {
    if (fleet.eject(other.node(), what)) {
      other.fail();
    }
  }

  /** Another server has not done in time what the leader did. */
  void late(Backend other, String what) {
    if (fleet.ejectLate(other.node(), what)) {
      other.fail();
    }
  }

  /** Tells those in which effects are something that they must be able to do. */
  void tellWritten(String sql) {
    Doubts.Given given = doubts.next();
    for (Backend other : written()) {
      session.cancels().undone(other);
      other.ask(
          sql,
          Answer.of(
              (tag, e, z) -> {
                if (e != null) {
                  given.doubt(other, Difference.failed(e));
                }
              },
              () -> {}));
    }
  }

  void rollbackOthers() {
    redo.clear();
    doubts.undo(0);
    for (Backend other : all) {
      if (other != home && other.isInTransaction()) {
        other.setInTransaction(false);
        session.cancels().undone(other);
        other.ask("ROLLBACK", unless(other, 'I', e -> Difference.failed("did not roll back", e)));
      }
    }
  }

  /** Ends the open transaction everywhere. */
  void rollback(Runnable then) {
    Backend at = home;
    rollbackOthers();
    Runnable ended =
        () -> {
          setStatus('I');
          then.run();
        };
    at.ask("ROLLBACK", Answer.of((tag, e, z) -> ended.run(), ended));
  }

  /** A statement failed at the leader, which has let go of the locks since the last savepoint. */
  void failed() {
    if (savepoints.isEmpty()) {
      rollbackOthers();
    } else {
      tellWritten("ROLLBACK TO SAVEPOINT " + Quoting.name(savepoints.undoToLast()));
    }
  }

  /** Makes the open transaction one that has failed, at home as well. */
  void failHome(Runnable then) {
    Backend at = home;
    at.ask(
        "ROLLBACK TO SAVEPOINT " + NO_SAVEPOINT,
        Answer.of(
            (tag, error, now) -> {
              status = now;
              failed();
              then.run();
            },
            () -> session.failover().homeLost(then)));
  }

  /** The server of the client's transaction is out: another takes a failed one in its place. */
  void moveFailed(Runnable then) {
    rollbackOthers();
    savepoints.clear();
    Backend leader = leader();
    if (leader == null) {
      session.failover().stale();
      return;
    }
    leader.setInTransaction(false);
    leader.ask("BEGIN", session.failover().unfailing(leader));
    begin(leader, false);
    session.failover().setMoved(true);
    status = 'E';
    failHome(then);
  }
}
