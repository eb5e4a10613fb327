package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * One COMMIT at all servers. It is decided when the leader has done everything that could fail;
 * from then on it goes to its end, whatever becomes of the client: the others commit, those that do
 * not are put out, and the leader commits last. Belongs to a session.
 */
final class Commit {
  private final ServerSet set;
  private final ReplicatedSession session;
  private final Result result;
  private final Backend leader;
  private final List<Backend> unanswered = new ArrayList<>();
  private Future<?> late;
  private long decidedNanos;
  private long withinNanos;
  private int confirmed;
  private boolean inside;
  private CompletableFuture<Catalogues.Known> schema;

  /** What is done with it. */
  interface Result {
    /** Send the leader its COMMIT, and tell {@link Commit#leaderAnswered}. */
    void commitLeader(Backend leader);

    /** Nothing was committed, and everything is to be rolled back. */
    void refused(ErrorFields why);

    /** The leader is out or gone, and nothing was committed. */
    void leaderLost();
  }

  Commit(ServerSet set, ReplicatedSession session, Result result) {
    this.set = set;
    this.session = session;
    this.result = result;
    this.leader = set.home();
  }

  /** Whether it must come to its end even if the session ends. */
  boolean isInside() {
    return inside;
  }

  void start() {
    CommitGate gate = session.shared().gate();
    session.runsAt(null);
    if (session.hasCancels()) {
      session.whenCancelled(this::start);
    } else if (gate.enter(() -> session.execute(this::start))) {
      inside = true;
      enter();
    }
  }

  private void enter() {
    if (session.isEnded()) {
      leave();
    } else if (!leader.node().isIn() || leader.isGone()) {
      lost();
    } else if (set.isStale()) {
      refuse(
          ErrorFields.error("40001", "a server came back while the transaction ran")
              .withHint("Connect again and repeat the transaction."));
    } else if (session.shared().fleet().in().size() < session.shared().config().serversMin()) {
      refuse(
          ErrorFields.error("53000", "fewer servers are in than serversMin")
              .withHint("Put servers in again, see mgtm query servers."));
    } else if (session.schema().isChanged() || session.schema().known().deferrable()) {
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
      decide();
    }
  }

  private void decide() {
    if (session.isEnded()) {
      leave();
      return;
    }
    if (session.schema().isChanged()) {
      schema = session.shared().catalogues().change(session.schema().database());
    }
    unanswered.addAll(set.written());
    if (unanswered.isEmpty()) {
      othersDone();
      return;
    }
    decidedNanos = System.nanoTime();
    withinNanos =
        TimeUnit.MILLISECONDS.toNanos(session.shared().config().timeouts().applyMs())
            + set.leaderNanos();
    look(withinNanos);
    for (Backend other : List.copyOf(unanswered)) {
      other.setInTransaction(false);
      other.ask(
          "COMMIT",
          Answer.of(
              (tag, error, status) -> {
                if ("COMMIT".equals(tag)) {
                  confirmed++;
                } else {
                  eject(other, "did not commit" + (error == null ? "" : ": " + error.message()));
                }
                answered(other);
              },
              () -> answered(other)));
    }
  }

  private void look(long afterNanos) {
    late = session.loop().schedule(this::ejectSilent, afterNanos, TimeUnit.NANOSECONDS);
  }

  /** Who is at work on what was written is given time, as long as something comes of it. */
  private void ejectSilent() {
    long next = withinNanos;
    for (Backend other : List.copyOf(unanswered)) {
      long since = System.nanoTime() - Math.max(decidedNanos, other.heardNanos());
      if (since >= withinNanos) {
        eject(other, "has no answer to COMMIT");
      } else {
        next = Math.min(next, withinNanos - since);
      }
    }
    if (!unanswered.isEmpty()) {
      look(next);
    }
  }

  private void eject(Backend other, String why) {
    if (session.shared().fleet().eject(other.node(), why)) {
      other.fail();
    }
  }

  private void answered(Backend other) {
    if (unanswered.remove(other) && unanswered.isEmpty()) {
      late.cancel(false);
      othersDone();
    }
  }

  private void othersDone() {
    result.commitLeader(leader);
  }

  /**
   * What the leader said: after others have committed, it is put out when that was not COMMIT.
   *
   * @param tag of its answer, null when there was none
   * @return whether the transaction is committed
   */
  boolean leaderAnswered(String tag) {
    boolean committed = "COMMIT".equals(tag) || confirmed > 0;
    if (!"COMMIT".equals(tag) && confirmed > 0) {
      session.shared().fleet().eject(leader.node(), "did not commit what the others have");
      leader.fail();
    }
    leave();
    return committed;
  }
}
