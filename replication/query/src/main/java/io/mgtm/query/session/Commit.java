package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.order.Part;
import io.mgtm.query.wire.ErrorFields;
import java.util.UUID;

/**
 * One COMMIT at all servers. When the leader has done everything that could fail, it is decided by
 * an entry of the log; from then on it goes to its end, whatever becomes of the client: the others
 * commit, those that do not are put out, and the leader commits last. Each notes the number of the
 * entry in the same transaction. Belongs to a session.
 */
final class Commit {
  private final ServerSet set;
  private final ReplicatedSession session;
  private final Result result;
  private final Backend leader;
  private final OthersCommit others;
  private final SchemaCommit schema;
  private boolean inside;

  /** Of the entry; 0 where nothing was written. */
  private long number;

  private long settled;

  /** What the leader has prepared, or null. */
  private PreparedCommit prepared;

  /** What is done with it. */
  interface Result {
    void committed();

    /** Nothing was committed, and the leader has no transaction any more. */
    void notCommitted(ErrorFields why);

    /** Nothing was committed, and everything is to be rolled back. */
    void refused(ErrorFields why);

    /** A server came back that has nothing of it, and nothing was committed. */
    void cameBack();

    /** The leader is out or gone, and nothing was committed. */
    void leaderLost();

    /** It is not known whether it is committed. */
    void unknown(String why);
  }

  Commit(ServerSet set, ReplicatedSession session, Result result) {
    this.set = set;
    this.session = session;
    this.result = result;
    this.leader = set.home();
    this.schema = new SchemaCommit(session);
    this.others = new OthersCommit(session, this::commitAt, this::othersDone);
  }

  /** Whether it must come to its end even if the session ends. */
  boolean isInside() {
    return inside;
  }

  void start() {
    session.runsAt(null);
    session.cancels().whenNone(this::enterGate);
  }

  private void enterGate() {
    if (session.shared().gate().enter(() -> session.execute(this::start))) {
      inside = true;
      enter();
    }
  }

  private void enter() {
    set.doubts().commit(others::wrong);
    if (session.isEnded()) {
      leave();
    } else if (session.shared().fleet().isDeposed()) {
      refuse(ErrorFields.error("57P01", PositionTable.TAKEN_OVER));
    } else if (!leader.node().isIn() || leader.isGone()) {
      lost();
    } else if (set.isStale()) {
      leave();
      result.cameBack();
    } else if (session.shared().fleet().in().size() < session.shared().config().serversMin()) {
      refuse(
          ErrorFields.error("53000", "fewer servers are in than serversMin")
              .withHint("Put servers in again, see mgtm query servers."));
    } else if (session.schema().mayHaveDeferred()) {
      leader.ask(
          "SET CONSTRAINTS ALL IMMEDIATE",
          Answer.of((tag, error, status) -> checked(error), this::lost));
    } else {
      decide();
    }
  }

  private void leave() {
    inside = false;
    schema.end();
    session.shared().gate().leave();
    if (session.isEnded()) {
      session.closeBackends();
    }
  }

  private void refuse(ErrorFields why) {
    leave();
    if (!session.isEnded()) {
      result.refused(why);
    }
  }

  private void lost() {
    leave();
    if (!session.isEnded()) {
      result.leaderLost();
    }
  }

  private void checked(ErrorFields error) {
    if (error != null) {
      refuse(error);
    } else {
      session.codeRuns(); // of triggers that had been deferred
      decide();
    }
  }

  private void decide() {
    schema.begin(this::decided, this::refuse);
  }

  private void decided() {
    if (session.isEnded()) {
      leave();
    } else if (!leader.node().isIn() || leader.isGone()) {
      lost();
    } else if (set.redo().isEmpty() && set.written().isEmpty()) {
      commitOthers();
    } else {
      if (set.isolation().isSerializable()) {
        set.timeouts().maySet();
      }
      set.timeouts().off(leader, this::timeoutsOff, this::refuse, this::lost);
    }
  }

  private void timeoutsOff(boolean serializable) {
    if (serializable) {
      PreparedCommit begun = new PreparedCommit(session, leader);
      Runnable then =
          () -> {
            prepared = begun;
            append();
          };
      begun.prepare(then, this::refuse, this::end, this::lost);
    } else {
      append();
    }
  }

  private void append() {
    if (session.isEnded()) {
      undecided(this::leave);
      return;
    }
    if (set.redo().isEmpty()) {
      commitOthers();
      return;
    }
    boolean whole = set.redo().isWhole() && !session.schema().isChanged();
    String database = session.schema().database();
    UUID token = prepared == null ? null : prepared.token();
    Part part = new Part(database, session.slot().number(), set.redo().take(), token);
    if (whole) {
      others.mayRepeat(part);
    }
    session
        .shared()
        .commits()
        .commit(
            part,
            session.loop(),
            new CommitLog.Done() {
              @Override
              public void decided(long entry, long settledThen) {
                number = entry;
                settled = settledThen;
                commitOthers();
              }

              @Override
              public void refused(String why) {
                undecided(() -> notDecided(why));
              }

              @Override
              public void inDoubt(String why) {
                end(() -> result.unknown(why + ", and it is not known whether it has committed"));
              }
            });
  }

  private void undecided(Runnable then) {
    if (prepared == null) {
      then.run();
    } else {
      prepared.rollBack(then);
    }
  }

  private void notDecided(String reason) {
    boolean ended = session.shared().commits().isEnded();
    ErrorFields why =
        ended
            ? ErrorFields.error("57P01", reason)
            : ErrorFields.error("53100", "the log of commits takes no more: " + reason)
                .withHint("Make room where the replicator has its data.");
    if (prepared == null) {
      refuse(why);
    } else {
      end(why);
    }
  }

  /** What notes the number of the entry fails the transaction where it must not commit. */
  private void commitAt(Backend at, Answer.End end, Runnable lost) {
    if (number == 0) {
      at.ask("COMMIT", Answer.of(end, lost));
      return;
    }
    if (session.schema().isChanged()) {
      at.forgetOwn(); // Triggers on events may have run.
    }
    Effects all = CommitNote.commit(session.slot().number(), number, settled, at.node().fence());
    all.ask(
        at,
        Answer.of(
            (tag, error, status) -> {
              if (error != null) {
                lookWhoOrders(error.message());
                all.forget(at);
              }
              if (status == 'E') {
                at.ask("ROLLBACK", Answer.of((t, e, now) -> end.done(tag, error, now), lost));
              } else {
                end.done(tag, error, status);
              }
            },
            lost));
  }

  private void commitOthers() {
    leader.node().owes();
    others.commit();
  }

  /** No server is put out for what another replicator has done: it orders now. */
  private void lookWhoOrders(String wrong) {
    if (wrong.contains(PositionTable.TAKEN_OVER)) {
      session.shared().fleet().depose();
    }
  }

  private void othersDone() {
    if (number > 0 && session.shared().fleet().isDeposed()) {
      // The other's log has not what the leader would commit now.
      leader.node().owesNoMore();
      deposed();
      return;
    }
    if (prepared != null) {
      prepared.commit(number, settled, done -> leaderAnswered(done, done ? null : lostByLeader()));
      return;
    }
    commitAt(
        leader,
        (tag, error, status) -> {
          ErrorFields why =
              error == null ? ErrorFields.error("40000", "COMMIT was answered " + tag) : error;
          leaderAnswered("COMMIT".equals(tag), why);
        },
        () -> leaderAnswered(false, null));
  }

  /**
   * What has not committed is put out, as it stands in the log or others have it; but for the last
   * server.
   *
   * @param why not; null when there was no answer
   */
  private void leaderAnswered(boolean committed, ErrorFields why) {
    leader.node().owesNoMore();
    boolean decided = others.isConfirmed() || number > 0;
    if (!committed && number > 0 && session.shared().fleet().isDeposed()) {
      deposed();
    } else if (committed
        || (decided
            && session.shared().fleet().eject(leader.node(), "did not commit what is decided"))) {
      if (!committed) {
        leader.fail();
      }
      end(result::committed);
    } else if (number > 0 && why == null) {
      session.slot().keep();
      resolve();
      number = 0;
      end(
          () ->
              result.unknown(
                  "the last server is gone, and it is not known whether it has committed"));
    } else if (number > 0) {
      drop(why);
    } else {
      end(why == null ? result::leaderLost : () -> result.notCommitted(why));
    }
  }

  /** It is at no server, and the leader has no transaction any more. */
  private void end(ErrorFields why) {
    end(() -> result.notCommitted(why));
  }

  /** Why the leader has not committed what it had prepared, where it is there; else null. */
  private ErrorFields lostByLeader() {
    return leader.node().isIn() && !session.shared().commits().isEnded()
        ? ErrorFields.error("40000", "somebody has ended what the leader had prepared")
        : null;
  }

  /** What is prepared was tried until another replicator orders. */
  private void resolve() {
    if (prepared != null) {
      return;
    }
    session
        .shared()
        .positions()
        .unknown()
        .resolve(
            leader.node(),
            session.schema().database(),
            session.slot().number(),
            number,
            leader.connection().pid());
  }

  /** It is at no server; that is said when it stands in the log, which a start would else redo. */
  private void drop(ErrorFields why) {
    int slot = session.slot().number();
    session
        .shared()
        .commits()
        .drop(number, slot)
        .whenComplete((done, cause) -> session.execute(() -> dropped(slot, why, cause)));
  }

  private void dropped(int slot, ErrorFields why, Throwable cause) {
    if (cause == null) {
      end(() -> result.notCommitted(why));
      return;
    }
    session.slot().keep();
    session.shared().positions().unknown().nowhere(slot, number);
    number = 0;
    end(() -> result.unknown("the log of commits takes no more: " + cause.getMessage()));
  }

  /** Whoever orders now says what becomes of it; it is not acknowledged. */
  private void deposed() {
    end(
        () ->
            result.unknown(
                PositionTable.TAKEN_OVER + ", and it is not known whether it has committed"));
  }

  private void end(Runnable then) {
    if (number > 0) {
      session.shared().commits().settled(number);
    }
    leave();
    if (!session.isEnded()) {
      then.run();
    }
  }
}
