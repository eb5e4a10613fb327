package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.fleet.PreparedTransaction;
import io.mgtm.query.order.Part;
import io.mgtm.query.wire.ErrorFields;
import java.util.UUID;

/**
 * One COMMIT at all servers, or PREPARE TRANSACTION. When the leader has done everything that could
 * fail, it is decided by an entry of the log; from then on it goes to its end, whatever becomes of
 * the client: the others commit, those that do not are put out, and the leader commits last. Each
 * notes the number of the entry in the same transaction. Belongs to a session.
 */
final class Commit {
  private final ServerSet set;
  private final ReplicatedSession session;
  private final Result result;
  private final Backend leader;
  private final OthersCommit others;
  private final SchemaCommit schema;
  private final GatePass pass;

  /** By which the client prepares it; null for COMMIT. */
  private final String gid;

  /** Of the entry; 0 where nothing was written. */
  private long number;

  private long settled;

  /** What the leader has prepared, or null. */
  private PreparedCommit prepared;

  /** The client's role, where it prepares. */
  private String owner;

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

  Commit(ServerSet set, ReplicatedSession session, String gid, Result result) {
    this.set = set;
    this.gid = gid;
    this.session = session;
    this.result = result;
    this.leader = set.home();
    this.schema = new SchemaCommit(session);
    this.pass = new GatePass(session, this::enter);
    this.others = new OthersCommit(session, this::commitAt, this::othersDone);
  }

  /** By which it is begun. */
  GatePass pass() {
    return pass;
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
      refuse(CommitErrors.FEWER);
    } else if (session.schema().mayHaveDeferred()) {
      leader.ask(
          "SET CONSTRAINTS ALL IMMEDIATE",
          Answer.of((tag, error, status) -> checked(error), this::lost));
    } else {
      decide();
    }
  }

  private void leave() {
    schema.end();
    pass.leave();
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
    } else if (gid == null && set.redo().isEmpty() && set.written().isEmpty()) {
      commitOthers();
    } else {
      if (gid != null || set.isolation().isSerializable()) {
        set.timeouts().maySet();
      }
      set.timeouts().off(leader, this::timeoutsOff, this::refuse, this::lost);
    }
  }

  private void timeoutsOff(boolean serializable) {
    if (gid != null) {
      new Preparing(session, leader)
          .look(
              serializable,
              role -> {
                owner = role;
                prepare(gid);
              },
              this::refuse,
              this::lost);
    } else if (serializable) {
      prepare(null);
    } else {
      append();
    }
  }

  private void prepare(String name) {
    PreparedTransaction one = PreparedTransaction.at(leader.node(), name);
    PreparedCommit begun = new PreparedCommit(session, leader.node(), leader, one);
    Runnable then =
        () -> {
          prepared = begun;
          append();
        };
    boolean writes = name != null || !set.redo().isEmpty();
    begun.prepare(writes, then, this::refuse, this::end, this::lost);
  }

  private void append() {
    if (session.isEnded()) {
      undecided(this::leave);
      return;
    }
    if (gid == null && set.redo().isEmpty()) {
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
    CommitLog commits = session.shared().commits();
    if (gid == null) {
      commits.commit(part, set.labels(), session.loop(), new Decision());
    } else {
      commits.prepared().prepare(gid, owner, part, set.labels(), session.loop(), new Decision());
    }
  }

  /** What the log says. */
  private final class Decision implements CommitLog.Done {
    @Override
    public void decided(long entry, long settledThen) {
      number = entry;
      settled = settledThen;
      if (gid == null) {
        pass.commits(Commit.this::commitOthers);
      } else {
        commitOthers();
      }
    }

    @Override
    public void refused(String why) {
      undecided(() -> notDecided(why));
    }

    @Override
    public void inDoubt(String why) {
      end(() -> result.unknown(why + CommitErrors.UNKNOWN));
    }
  }

  private void undecided(Runnable then) {
    if (prepared == null) {
      then.run();
    } else {
      prepared.rollBack(done -> then.run());
    }
  }

  private void notDecided(String reason) {
    ErrorFields why = CommitErrors.refusedByLog(session, reason);
    if (prepared == null) {
      refuse(why);
    } else {
      end(why);
    }
  }

  /** What notes the number of the entry fails the transaction where it must not commit. */
  private void commitAt(Backend at, Answer.End end, Runnable lost) {
    if (gid != null) {
      PreparedTransaction here = new PreparedTransaction(prepared.token(), gid, at.node().fence());
      PreparedCommit.prepare(at, here, end, lost);
      return;
    }
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
    if (gid != null) {
      set.live().stream().filter(other -> other != leader).forEach(set::join);
    }
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
    } else if (gid != null) {
      leader.node().owesNoMore();
      prepared.leaveOther();
      end(result::committed);
    } else if (prepared != null) {
      prepared.commit(number, settled, done -> leaderAnswered(done, done ? null : lostByLeader()));
    } else {
      commitAt(
          leader,
          (tag, error, status) -> {
            ErrorFields why =
                error == null ? ErrorFields.error("40000", "COMMIT was answered " + tag) : error;
            leaderAnswered("COMMIT".equals(tag), why);
          },
          () -> leaderAnswered(false, null));
    }
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
      if (prepared == null) {
        new LastServer(session, number).resolve(leader);
      } else {
        session.slot().keep(); // It was tried until another replicator orders.
      }
      unknown(CommitErrors.LAST_IS_GONE);
    } else if (number > 0) {
      new LastServer(session, number).drop(() -> end(why), this::unknown);
    } else {
      end(why == null ? result::leaderLost : () -> result.notCommitted(why));
    }
  }

  /** It is at no server, and the leader has no transaction any more. */
  private void end(ErrorFields why) {
    end(() -> result.notCommitted(why));
  }

  /** Its entry is settled by others. */
  private void unknown(String why) {
    number = 0;
    end(() -> result.unknown(why));
  }

  /** Why the leader has not committed what it had prepared, where it is there; else null. */
  private ErrorFields lostByLeader() {
    return leader.node().isIn() && !session.shared().commits().isEnded()
        ? ErrorFields.error("40000", "somebody has ended what the leader had prepared")
        : null;
  }

  /** Whoever orders now says what becomes of it; it is not acknowledged. */
  private void deposed() {
    end(() -> result.unknown(PositionTable.TAKEN_OVER + CommitErrors.UNKNOWN));
  }

  private void end(Runnable then) {
    if (number > 0) {
      session.shared().commits().settled(number);
    }
    if (gid != null && prepared != null) {
      session.shared().commits().prepared().unclaim(prepared.token());
    }
    leave();
    if (!session.isEnded()) {
      then.run();
    }
  }
}
