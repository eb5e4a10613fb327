package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.ServerKind;
import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;

/**
 * Runs what is answered later than the leader has done it: COPY FROM and changes of the schema when
 * all servers have, and writes that are looked at. Belongs to a session.
 */
final class AwaitedRun {
  static final ErrorFields SCHEMA_MOVED =
      ErrorFields.error("40001", "the schema was changed while the statement ran")
          .withHint("Repeat the transaction.");

  static final ErrorFields TOO_MANY_ROWS =
      ErrorFields.error("54000", "a statement wrote more rows than are held")
          .withHint("Write fewer rows at a time, or raise limits.messageBytesMax.");

  /** A procedure has COMMIT or ROLLBACK in it. */
  private static final String ENDS_TRANSACTION = "2D000";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final ServerSet set;
  private CopyIn copy;
  private CheckedWrite checked;
  private UnprovenRead unproven;
  private FarRead far;
  private final SnapshotReads snapshots;
  private SequenceDraws draws;
  private SchemaChange change;

  /** Whether a transaction of the replicator's is about to begin. */
  private boolean beginning;

  /** Whether the client does not want it any more. */
  private boolean cancelled;

  AwaitedRun(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.run = run;
    this.set = session.set();
    this.snapshots = new SnapshotReads(session, run);
  }

  /** Runs a task in the open transaction; where none is open, in one of the replicator's own. */
  void inTransaction(String begin, Runnable then) {
    if (set.home() != null) {
      then.run();
      return;
    }
    run.output().hold(run.isLast());
    begin(
        begin,
        () -> {
          set.begin(set.chosen(), true);
          then.run();
        });
  }

  /**
   * Begins a transaction at the leader. Nothing that is to run in it is sent before it has begun:
   * by itself it would be committed there and nowhere else.
   */
  void begin(String sql, Runnable then) {
    beginning = true;
    Backend leader = set.chosen();
    leader.ask(
        sql, Answer.of((tag, error, status) -> begun(leader, error, then), () -> run.lost(leader)));
  }

  private void begun(Backend leader, ErrorFields error, Runnable then) {
    boolean wanted = !cancelled;
    beginning = false;
    cancelled = false;
    if (error != null) {
      run.fail(error);
    } else if (wanted) {
      then.run();
    } else {
      leader.ask("ROLLBACK", session.failover().unfailing(leader));
      run.fail(Cancels.CANCELED);
    }
  }

  /** The client does not want what has not begun yet. */
  void cancel() {
    cancelled = beginning;
    snapshots.cancel();
  }

  void checked(Segment segment) {
    inTransaction("BEGIN", () -> check(segment));
  }

  private void check(Segment segment) {
    unproven = null;
    checked = new CheckedWrite(session, run, segment);
    checked.start();
  }

  void unproven(Segment segment) {
    unproven = new UnprovenRead(session, run, segment);
    unproven.start();
  }

  /** Whether the segment must wait for a server's answer; the run goes on when that is there. */
  boolean comesFirst(Segment next) {
    return set.home() == null
        ? session.late().enters(run::next) || set.isolation().ask(run::next)
        : snapshots.begins(next);
  }

  /** A read outside of transactions. */
  void read(Segment segment) {
    Backend reader = set.readers().reader(segment);
    if (set.readers().needsSnapshot(reader, segment)) {
      snapshots.read(reader, segment);
    } else {
      read(reader, segment);
    }
  }

  /** The same at that server, in what it has. */
  void read(Backend reader, Segment segment) {
    reader.node().reads().increment();
    if (set.readers().isFar(reader)) {
      far = new FarRead(session, run, reader, segment);
      far.start();
    } else {
      run.sender().send(reader, segment, run::ended);
    }
  }

  /** What follows is none. */
  void readFar() {
    far = null;
  }

  /** The next message of an answer has this type. */
  void answers(char type) {
    snapshots.answers(type);
  }

  /** Whether such a read is under way. */
  boolean isFar() {
    return far != null;
  }

  /**
   * Whether a segment may have drawn from sequences, and ends once the others are ahead of that.
   *
   * @param then run when they are, and asks again
   */
  boolean settles(Relay relay, Runnable then) {
    boolean taken = relay.takeDraws();
    if (taken) {
      draws = new SequenceDraws(session, run, relay.segment());
      draws.settle(then);
    }
    return taken;
  }

  void ddl(Segment segment) {
    if (segment.command().statement().isMembership()
        && ServerKind.isMixed(session.shared().fleet().nodes())) {
      run.fail(
          ErrorFields.error(
                  "0A000", "servers of other versions take memberships of roles in another way")
              .withHint(
                  "Stop the replicator, run it at each server, and start the replicator again."));
      return;
    }
    inTransaction(
        "BEGIN ISOLATION LEVEL READ COMMITTED",
        () -> {
          change = new SchemaChange(session, run, segment);
          run.sender().send(set.home(), segment, change::leaderAnswered);
        });
  }

  /**
   * All servers have another schema.
   *
   * @param then is run once they have it
   */
  void schemaChanged(char status, Runnable then) {
    if (isHomeLost()) {
      run.lost(set.home());
    } else {
      set.setStatus(status);
      then.run();
      run.next();
    }
  }

  boolean isHomeLost() {
    return !set.home().node().isIn() || set.home().isGone();
  }

  void copy(Segment segment) {
    if (segment.simple() == null && run.hasMore()) {
      run.fail(
          ErrorFields.error("0A000", "there are messages between COPY FROM and its data")
              .withHint("Send Sync or Flush after Execute."));
      return;
    }
    inTransaction(
        "BEGIN",
        () -> {
          copy = new CopyIn(session, run, segment);
          if (segment.command().statementClass() == StatementClass.CAPTURED) {
            check(segment);
          } else {
            run.sender().send(set.home(), segment, copy::leaderAnswered);
          }
        });
  }

  /**
   * The leader wants the data; what was held is told before it is asked for them. What it answers
   * is held until the others have them too.
   */
  void copyBegins(Frame frame) {
    run.output().hold(false);
    run.output().send();
    run.output().forward(frame.content());
    run.output().hold(true);
    if (copy.isExtended()) {
      // The Sync that was sent with it belongs to the data, and another comes after them.
      run.awaitSync();
    }
    if (checked != null) {
      checked.copyBegins();
    }
    copy.begin();
    session.paused();
  }

  /** The COPY that takes what the client sends, or null. */
  CopyIn copying() {
    return copy != null && copy.isTaking() ? copy : null;
  }

  /** Whether more data wait for the disk than may. */
  boolean isBehind() {
    return copy != null && copy.isBehind();
  }

  /** Some server takes more again. */
  void pump() {
    if (copy != null) {
      copy.pump();
    }
  }

  /** Nothing more comes of what was run. */
  void end() {
    beginning = false;
    cancelled = false;
    snapshots.end();
    if (far != null) {
      far.end();
      far = null;
    }
    if (unproven != null) {
      unproven.end();
      unproven = null;
    }
    if (checked != null) {
      checked.abandon();
      checked = null;
    }
    if (change != null) {
      change.abandon();
      change = null;
    }
    copyTaken();
    if (draws != null) {
      draws.end();
      draws = null;
    }
  }

  /** The leader has all data of a COPY of which the others are given the rows. */
  void copyTaken() {
    if (copy != null) {
      copy.close();
      copy = null;
    }
  }

  /** All servers have the data, or the leader has refused them, or they could not be kept. */
  void copied(Relay relay, char status, ErrorFields why) {
    copy = null;
    Backend home = set.home();
    if (relay.error() == null && isHomeLost()) {
      untold();
      run.lost(home);
    } else if (relay.error() == null && why != null) {
      untold();
      run.fail(why);
    } else {
      tellCopied();
      run.ended(relay, status);
    }
  }

  /** What the leader has answered to a COPY does not count. */
  void untold() {
    run.output().drop();
    tellCopied();
  }

  private void tellCopied() {
    if (!set.isWrapped()) {
      run.output().hold(false);
      run.output().send();
    }
  }

  /** The leader has refused a statement: tells the client, by what it is to be told. */
  void error(Segment segment, ErrorFields error, Frame frame) {
    boolean taken =
        far != null
            ? far.takes(error)
            : segment.kind() == Segment.Kind.UNPROVEN && unproven.isTaken(error);
    if (taken) {
      frame.release();
      return;
    }
    ErrorFields told = toldInstead(segment, error);
    if (told == null) {
      run.forward(frame.content());
    } else {
      run.forward(Messages.error(session.alloc(), told));
      frame.release();
    }
  }

  /** The leader has refused a statement, and all that it answered is here. */
  void refused(Relay relay, char status) {
    if (relay.isChanged()) {
      run.fail(relay.error());
      return;
    }
    if (relay.isOutdated()) {
      session.planner().forgetNumbered();
      if (run.repeat()) {
        return;
      }
      run.forward(Messages.error(session.alloc(), relay.whyOutdated()));
    }
    run.failedAt(status);
  }

  /** Whether another session has changed the schema since the segments were classified. */
  boolean isSchemaMoved() {
    return !session.schema().isCurrent();
  }

  /** What the client is told in place of it, or null. */
  private ErrorFields toldInstead(Segment segment, ErrorFields error) {
    if (segment.kind() == Segment.Kind.UNPROVEN) {
      return unproven.toldInstead(error);
    }
    if (segment.kind() == Segment.Kind.CHECKED && error.sqlState().equals(ENDS_TRANSACTION)) {
      return error.withHint(
          "The replicator runs it in a transaction. Leave COMMIT and ROLLBACK to the client.");
    }
    if (copy == null) {
      return null;
    }
    copy.leaderFailed();
    return copy.refusal();
  }
}
