package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import java.util.concurrent.TimeUnit;

/**
 * Reads at servers that do not lead, of snapshots that those take while no commit is under way.
 * Belongs to a session.
 */
final class SnapshotReads {
  /** After so long the leader reads instead. */
  private static final int WAIT_MS = 100;

  private static final int AGAIN_MS = 10;
  private static final String TAKE = "SELECT 1";
  private static final String BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ; " + TAKE;

  private static final ErrorFields IN_DOUBT =
      ErrorFields.error("40001", "another replicator may order by now")
          .withHint("Repeat the transaction.");

  private final ReplicatedSession session;
  private final UnitRun run;
  private final ServerSet set;
  private SnapshotTaking taking;
  private boolean cancelled;

  SnapshotReads(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.run = run;
    this.set = session.set();
  }

  /** Whether the open transaction takes its snapshot before it goes on with a segment. */
  boolean begins(Segment segment) {
    if (!set.readers().lacksSnapshot(segment)) {
      return false;
    }
    taking = new SnapshotTaking(session, set.home(), TAKE, this::taken);
    taking.start();
    return true;
  }

  private void taken(ErrorFields error) {
    boolean wanted = !cancelled;
    end();
    if (error != null) {
      run.forward(Messages.error(session.alloc(), error));
      run.failedAt('E');
    } else if (!wanted) {
      run.fail(Cancels.CANCELED);
    } else if (!session.shared().commits().holdsLease()) {
      run.fail(IN_DOUBT);
    } else {
      set.readers().took();
      run.next();
    }
  }

  /** Runs a read in a transaction of its own; or at the leader, which needs none. */
  void read(Backend reader, Segment segment) {
    SnapshotTaking mine =
        new SnapshotTaking(session, reader, BEGIN, error -> taken(reader, segment, error));
    taking = mine;
    if (!mine.start()) {
      session.loop().schedule(() -> giveUp(mine, segment), WAIT_MS, TimeUnit.MILLISECONDS);
    }
  }

  private void giveUp(SnapshotTaking mine, Segment segment) {
    if (mine.giveUp()) {
      session.shared().metrics().moved().increment();
      atLeader(segment);
    }
  }

  private void atLeader(Segment segment) {
    boolean wanted = !cancelled;
    end();
    if (wanted) {
      run.awaited().read(set.chosen(), segment);
    } else {
      run.fail(Cancels.CANCELED);
    }
  }

  private void taken(Backend reader, Segment segment, ErrorFields error) {
    if (error != null || cancelled) {
      reader.ask("ROLLBACK", notLookedAt());
      atLeader(segment);
    } else if (!session.shared().commits().holdsLease()) {
      reader.ask("ROLLBACK", notLookedAt());
      SnapshotTaking mine = taking;
      session.loop().schedule(() -> again(mine, segment), AGAIN_MS, TimeUnit.MILLISECONDS);
    } else {
      end();
      run.awaited().read(reader, segment);
      reader.ask("COMMIT", notLookedAt());
    }
  }

  private void again(SnapshotTaking mine, Segment segment) {
    if (taking == mine) {
      run.awaited().read(segment);
    }
  }

  private static Answer notLookedAt() {
    return Answer.of((tag, error, status) -> {}, () -> {});
  }

  /** The client does not want what is waited for. */
  void cancel() {
    cancelled = taking != null;
  }

  /** Nothing is waited for any more. */
  void end() {
    cancelled = false;
    if (taking != null) {
      taking.end();
      taking = null;
    }
  }
}
