package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads at servers that do not lead, of snapshots that those take while no commit is under way.
 * Belongs to a session.
 */
final class SnapshotReads {
  /** After so long the leader reads instead. */
  private static final int WAIT_MS = 100;

  private static final int AGAIN_MS = 10;
  private static final String REPEATABLE_READ = "repeatable read";

  /** Tells whether the transaction has one for all its statements. */
  private static final String TAKE = "SELECT pg_catalog.current_setting('transaction_isolation')";

  private static final String BEGIN =
      "BEGIN ISOLATION LEVEL REPEATABLE READ;"
          + " SET LOCAL idle_in_transaction_session_timeout = 0; "
          + TAKE;

  /** Types of messages before which a statement has its locks. */
  private static final String RESULTS = "DCEHIs";

  private static final ErrorFields LATE =
      ErrorFields.error("40001", "the server took its snapshot too late")
          .withHint("Repeat the transaction.");

  private static final ErrorFields IN_DOUBT =
      ErrorFields.error("40001", "another replicator may order by now")
          .withHint("Repeat the transaction.");

  private final ReplicatedSession session;
  private final UnitRun run;
  private final ServerSet set;
  private SnapshotTaking taking;
  private boolean cancelled;

  /** What is read by a snapshot that may be older than its locks; null where that was looked at. */
  private Segment unchecked;

  /** What the leader is to read in place of it, or null. */
  private Segment outdated;

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

  private void taken(List<String> row, ErrorFields error, boolean inTime) {
    boolean wanted = !cancelled;
    end();
    if (error != null) {
      run.forward(Messages.error(session.alloc(), error));
      run.failedAt('E');
    } else if (!wanted) {
      run.fail(Cancels.CANCELED);
    } else if (!inTime) {
      run.fail(LATE);
    } else if (!session.shared().commits().holdsLease()) {
      run.fail(IN_DOUBT);
    } else if (!row.get(0).equals(REPEATABLE_READ)) {
      run.fail(
          ErrorFields.error("0A000", "transactions that are " + row.get(0) + " are the leader's")
              .withHint("Name the level in BEGIN."));
    } else {
      set.readers().took();
      run.next();
    }
  }

  /** Runs a read in a transaction of its own; or at the leader, which needs none. */
  void read(Backend reader, Segment segment) {
    if (!session.schema().isCurrent()) {
      atLeader(segment);
      return;
    }
    SnapshotTaking mine =
        new SnapshotTaking(
            session,
            reader,
            BEGIN,
            (row, error, inTime) -> taken(reader, segment, error == null && inTime));
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

  private void taken(Backend reader, Segment segment, boolean good) {
    if (!good || cancelled) {
      reader.ask("ROLLBACK", notLookedAt());
      atLeader(segment);
    } else if (!session.shared().commits().holdsLease()) {
      reader.ask("ROLLBACK", notLookedAt());
      SnapshotTaking mine = taking;
      session.loop().schedule(() -> again(mine, segment), AGAIN_MS, TimeUnit.MILLISECONDS);
    } else {
      end();
      unchecked = segment;
      run.output().beginTrial();
      reader.node().reads().increment();
      run.sender().send(reader, segment, this::ended);
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

  /**
   * The next message of an answer has this type. TRUNCATE and table rewrites are not MVCC-safe: to
   * a snapshot that was taken before, the table appears empty. A query locks its tables after its
   * snapshot was taken. So where the schema may have changed in between, the answer is discarded,
   * and the leader reads.
   */
  void answers(char type) {
    if (unchecked == null || RESULTS.indexOf(type) < 0) {
      return;
    }
    if (session.schema().isCurrent()) {
      run.output().endTrial();
    } else {
      outdated = unchecked;
      run.output().deafen();
    }
    unchecked = null;
  }

  private void ended(Relay relay, char status) {
    if (outdated == null) {
      run.ended(relay, status);
    } else {
      atLeader(outdated);
    }
  }

  /** The client does not want what is waited for. */
  void cancel() {
    if (taking != null && taking.giveUp()) {
      end();
      run.fail(Cancels.CANCELED);
    } else {
      cancelled = taking != null;
    }
  }

  /** Nothing is waited for any more. */
  void end() {
    cancelled = false;
    if (taking != null) {
      taking.end();
      taking = null;
    }
    if (unchecked != null) {
      run.output().dropTrial();
      unchecked = null;
    }
    if (outdated != null) {
      run.output().hear();
      outdated = null;
    }
  }
}
