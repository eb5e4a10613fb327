package io.mgtm.query.session;

import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.order.Part;
import io.mgtm.query.wire.ErrorFields;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One COMMIT at all servers. When the leader has done everything that could fail, it is decided by
 * an entry of the log; from then on it goes to its end, whatever becomes of the client: the others
 * commit, those that do not are put out, and the leader commits last. Each notes the number of the
 * entry in the same transaction. Belongs to a session.
 */
final class Commit {
  /** For statements that have begun while it waited for longer ones, in milliseconds. */
  private static final int SHORT_MS = 1_000;

  private final ServerSet set;
  private final ReplicatedSession session;
  private final Result result;
  private final Backend leader;
  private final OthersCommit others;
  private boolean inside;

  /** Of the entry; 0 where nothing was written. */
  private long number;

  private long settled;
  private CompletableFuture<Catalogues.Known> schema;

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
    if (schema != null) {
      session.shared().catalogues().changed(session.schema().database(), schema);
      schema = null;
    }
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
    if (session.isEnded()) {
      leave();
      return;
    }
    if (session.schema().isCallable()) {
      // All but who has begun meanwhile need not be kept waiting for the one that takes long.
      int longMs = session.shared().config().timeouts().applyMs();
      awaitRunning(
          longMs,
          () -> {
            change();
            awaitRunning(Math.min(longMs, SHORT_MS), this::decided);
          });
      return;
    }
    if (session.schema().isChanged()) {
      change();
    }
    decided();
  }

  /** Statements of others that are not classified yet wait from now on. */
  private void change() {
    schema = session.shared().catalogues().change(session.schema().database());
  }

  /**
   * Waits until what others run by the former schema has ended: it could come to call what this
   * makes, and is not looked at.
   */
  private void awaitRunning(int withinMs, Runnable then) {
    session
        .shared()
        .sessions()
        .runningEnds(session.schema().database(), session)
        .orTimeout(withinMs, TimeUnit.MILLISECONDS)
        .whenComplete((nothing, late) -> session.execute(() -> othersEnded(late == null, then)));
  }

  private void othersEnded(boolean all, Runnable then) {
    if (session.isEnded()) {
      leave();
    } else if (!all) {
      refuse(
          ErrorFields.error("55P03", "a function is not made while other statements run")
              .withHint("Repeat it when long statements have ended."));
    } else if (!leader.node().isIn() || leader.isGone()) {
      lost();
    } else {
      then.run();
    }
  }

  private void decided() {
    if (set.redo().isEmpty()) {
      commitOthers();
    } else {
      set.timeouts().off(leader, this::append, this::refuse, this::lost);
    }
  }

  private void append() {
    if (session.isEnded()) {
      leave();
      return;
    }
    boolean whole = set.redo().isWhole() && !session.schema().isChanged();
    String database = session.schema().database();
    Part part = new Part(database, session.slot().number(), set.redo().take());
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
                notDecided(why);
              }

              @Override
              public void inDoubt(String why) {
                end(() -> result.unknown(why + ", and it is not known whether it has committed"));
              }
            });
  }

  private void notDecided(String why) {
    boolean ended = session.shared().commits().isEnded();
    refuse(
        ended
            ? ErrorFields.error("57P01", why)
            : ErrorFields.error("53100", "the log of commits takes no more: " + why)
                .withHint("Make room where the replicator has its data."));
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
