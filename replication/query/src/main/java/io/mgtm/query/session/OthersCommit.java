package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.fleet.Ejection;
import io.mgtm.query.fleet.Fleet;
import io.mgtm.query.order.Part;
import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A COMMIT at the servers that do not lead. One that only lacks what it was given, as when it met a
 * deadlock with what another transaction has undone, is given all of it once more; one that
 * differs, or gets nowhere in its time, is put out. Belongs to a session.
 */
final class OthersCommit {
  private static final Logger log = LoggerFactory.getLogger(OthersCommit.class);
  private static final int REPEATS_MAX = 3;

  /** Before the first; before each other four times as long. */
  private static final long PAUSE_MS = 100;

  private final ReplicatedSession session;
  private final ServerSet set;
  private final At at;
  private final Runnable then;
  private final List<Backend> unanswered = new ArrayList<>();
  private final Map<Backend, Difference> failed = new HashMap<>();

  /** What the log has of it, if that is all that others were given; else null. */
  private Part given;

  private int repeats;
  private Future<?> late;
  private long decidedNanos;
  private long withinNanos;
  private boolean confirmed;

  /** Sends COMMIT to a server. */
  interface At {
    void commit(Backend at, Answer.End end, Runnable lost);
  }

  /**
   * One that has not begun.
   *
   * @param then called when all have committed, or are out
   */
  OthersCommit(ReplicatedSession session, At at, Runnable then) {
    this.session = session;
    this.set = session.set();
    this.at = at;
    this.then = then;
  }

  /** What one has answered otherwise than the leader; the first counts. */
  void wrong(Backend other, Difference what) {
    if (what.kind() == Ejection.FAILED) {
      failed.putIfAbsent(other, what);
    } else if (!failed.containsKey(other)) {
      set.differs(other, what);
    }
  }

  /** This is all that they were given. */
  void mayRepeat(Part part) {
    given = part;
  }

  /** Whether one has committed. */
  boolean isConfirmed() {
    return confirmed;
  }

  void commit() {
    unanswered.addAll(set.written());
    unanswered.forEach(other -> other.node().owes());
    if (unanswered.isEmpty()) {
      then.run();
      return;
    }
    decidedNanos = System.nanoTime();
    withinNanos =
        TimeUnit.MILLISECONDS.toNanos(session.shared().config().timeouts().applyMs())
            + set.leaderNanos();
    look(withinNanos);
    List.copyOf(unanswered).forEach(this::commit);
  }

  private void commit(Backend other) {
    other.setInTransaction(false);
    at.commit(
        other,
        (tag, error, status) -> committed(other, "COMMIT".equals(tag), error),
        () -> answered(other));
  }

  private void committed(Backend other, boolean done, ErrorFields error) {
    Difference why = failed.remove(other);
    if (!done && why != null && given != null && repeats < REPEATS_MAX) {
      repeatLater(other, why);
      return;
    }
    if (done) {
      confirmed = true;
    } else {
      set.differs(other, why == null ? Difference.failed("did not commit", error) : why);
    }
    answered(other);
  }

  /**
   * What it met a deadlock with is to get the locks meanwhile: at once they might be taken again.
   */
  private void repeatLater(Backend other, Difference why) {
    long pauseMs = PAUSE_MS << (2 * repeats++);
    log.info(
        "{} is given a transaction once more in {} ms: it {}", other.node(), pauseMs, why.text());
    session.loop().schedule(() -> repeat(other), pauseMs, TimeUnit.MILLISECONDS);
  }

  private void repeat(Backend other) {
    RedoRun run =
        new RedoRun(
            other, new RedoCodec.Statements(), what -> wrong(other, what), () -> commit(other));
    other.ask(
        ServerSet.BEGIN_EFFECTS,
        Answer.of(
            (tag, error, status) -> {
              if (status == 'T') {
                run.run(List.of(given));
              } else {
                set.differs(other, Difference.notBegun(error));
                answered(other);
              }
            },
            () -> answered(other)));
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
        ejectLate(other);
      } else {
        next = Math.min(next, withinNanos - since);
      }
    }
    if (!unanswered.isEmpty()) {
      look(next);
    }
  }

  private void ejectLate(Backend other) {
    Fleet fleet = session.shared().fleet();
    if (fleet.ejectLate(other.node(), "has no answer to COMMIT") || fleet.isDeposed()) {
      other.fail();
    }
  }

  private void answered(Backend other) {
    if (unanswered.remove(other)) {
      other.node().owesNoMore();
      if (unanswered.isEmpty()) {
        late.cancel(false);
        then.run();
      }
    }
  }
}
