package io.mgtm.query.session;

import io.mgtm.query.fleet.SnapshotGate;
import io.mgtm.query.fleet.SnapshotGate.Kind;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One passage of the gate, which is closed while a server comes in, and of that which keeps commits
 * apart from snapshots. Whoever is inside goes to its end even if the session ends meanwhile.
 * Belongs to a session.
 */
final class GatePass {
  private static final Logger log = LoggerFactory.getLogger(GatePass.class);

  private final ReplicatedSession session;
  private final Runnable then;
  private final SnapshotGate snapshots;
  private boolean inside;
  private SnapshotGate.Pass commits;
  private Future<?> late;

  /**
   * One that has not begun.
   *
   * @param then called inside
   */
  GatePass(ReplicatedSession session, Runnable then) {
    this.session = session;
    this.then = then;
    this.snapshots = session.shared().snapshots();
  }

  boolean isInside() {
    return inside;
  }

  /** Enters as soon as the gate is open, and no request to cancel is under way. */
  void enter() {
    session.runsAt(null);
    session.cancels().whenNone(this::enterGate);
  }

  private void enterGate() {
    if (session.shared().gate().enter(() -> session.execute(this::enter))) {
      inside = true;
      session.set().updateWaiting();
      then.run();
    }
  }

  /** Goes on when no snapshot is taken; from then on servers show what is committed. */
  void commits(Runnable goesOn) {
    Runnable comesIn =
        () -> {
          late.cancel(false);
          goesOn.run();
        };
    commits = new SnapshotGate.Pass(Kind.COMMIT, () -> session.execute(comesIn));
    long turn = snapshots.turn();
    if (snapshots.enter(commits)) {
      goesOn.run();
    } else {
      watch(turn);
    }
  }

  /** A backend that does not answer holds commits up for as long as a server may be silent. */
  private void watch(long turn) {
    late =
        session
            .loop()
            .schedule(
                () -> {
                  shown(snapshots.expire(turn));
                  watch(snapshots.turn());
                },
                session.shared().config().timeouts().silentMs(),
                TimeUnit.MILLISECONDS);
  }

  private void shown(int out) {
    if (out > 0) {
      session.shared().metrics().late().increment(out);
      log.warn(
          "{} snapshots were not taken within {} ms, by backends that do not answer; commits go on",
          out,
          session.shared().config().timeouts().silentMs());
    }
  }

  void leave() {
    inside = false;
    if (commits != null) {
      snapshots.leave(commits);
      commits = null;
    }
    session.shared().gate().leave();
    session.set().updateWaiting();
    if (session.isEnded()) {
      session.closeBackends();
    }
  }
}
