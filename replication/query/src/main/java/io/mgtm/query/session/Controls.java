package io.mgtm.query.session;

import io.mgtm.query.sql.TransactionCommand;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;

/**
 * Runs the commands that begin and end transactions, and those of savepoints. Belongs to a session.
 */
final class Controls {
  private final ReplicatedSession session;
  private final ServerSet set;
  private final UnitRun run;
  private Commit commit;

  Controls(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.set = session.set();
    this.run = run;
  }

  void control(Segment segment) {
    TransactionCommand command = segment.control();
    switch (command.verb()) {
      case BEGIN -> begin(segment, command);
      case COMMIT -> {
        if (set.status() == 'T') {
          commit(segment);
        } else {
          endAtHome(segment);
        }
      }
      case ROLLBACK -> endAtHome(segment);
      default -> savepoint(segment, command);
    }
  }

  private void begin(Segment segment, TransactionCommand command) {
    Backend home = set.home();
    boolean serializable = command.isSerializable(set.isolation().isSerializable());
    if (serializable) {
      set.timeouts().maySet();
    }
    if (home != null) {
      set.unwrap();
      run.sender().send(home, segment, run::ended);
      return;
    }
    boolean anywhere =
        command.readOnly() && !serializable && !session.schema().temporaries().maySome();
    Backend reader = anywhere ? set.reader() : null;
    Backend at = reader == null || set.isFar(reader) ? set.chosen() : reader;
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (status != 'I') {
                set.begin(at, false);
                if (command.readOnly()) {
                  set.beginReadOnly();
                }
              }
              run.ended(relay, status);
            });
  }

  private void endAtHome(Segment segment) {
    set.rollbackOthers();
    Backend at = set.homeOrLeader();
    run.sender().send(at, segment, run::ended);
  }

  private void savepoint(Segment segment, TransactionCommand command) {
    Backend at = set.homeOrLeader();
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (relay.error() == null && set.home() != null) {
                keep(command);
                set.tellWritten(segment.command().statement().text());
              }
              run.ended(relay, status);
            });
  }

  private void keep(TransactionCommand command) {
    switch (command.verb()) {
      case SAVEPOINT -> set.savepoints().add(command.savepoint());
      case RELEASE -> set.savepoints().release(command.savepoint());
      default -> {
        set.savepoints().undoTo(command.savepoint());
        session.schema().undone();
      }
    }
  }

  /**
   * Commits the open transaction everywhere.
   *
   * @param segment the client's COMMIT, or null for the end of the replicator's own transaction
   */
  void commit(Segment segment) {
    session.schema().temporaries().commit();
    commit = new Commit(set, session, new Committing(segment));
    commit.start();
  }

  /** Whether a commit must come to its end. */
  boolean isCommitting() {
    return commit != null && commit.isInside();
  }

  /** Answers the client. */
  private final class Committing implements Commit.Result {
    private final Segment segment;

    Committing(Segment segment) {
      this.segment = segment;
    }

    @Override
    public void committed() {
      commit = null;
      set.cursors().commit();
      set.setStatus('I');
      if (segment == null) {
        run.complete();
      } else {
        run.output().answer(segment, "COMMIT");
        run.next();
      }
    }

    @Override
    public void notCommitted(ErrorFields why) {
      commit = null;
      set.setStatus('I');
      set.rollbackOthers();
      refuseCommit(segment, why);
    }

    @Override
    public void unknown(String why) {
      commit = null;
      session.end(ErrorFields.fatal("57P01", why));
    }

    @Override
    public void refused(ErrorFields why) {
      commit = null;
      rollBack(segment, why);
    }

    @Override
    public void cameBack() {
      commit = null;
      if (segment != null || !run.repeat()) {
        rollBack(
            segment,
            ErrorFields.error("40001", "a server came back while the transaction ran")
                .withHint("Repeat the transaction."));
      }
    }

    @Override
    public void leaderLost() {
      commit = null;
      Backend home = set.home();
      if (home.node().isIn()) {
        session.failover().ended(home);
      } else if (segment == null) {
        run.lost(home);
      } else {
        rollBack(segment, home.node().moved());
      }
    }
  }

  /** A COMMIT that fails ends the transaction nevertheless, as PostgreSQL does it. */
  void rollBack(Segment segment, ErrorFields why) {
    set.rollback(() -> refuseCommit(segment, why));
  }

  private void refuseCommit(Segment segment, ErrorFields why) {
    run.output().answer(segment, Messages.error(session.alloc(), why));
    run.failedAt('I');
  }
}
