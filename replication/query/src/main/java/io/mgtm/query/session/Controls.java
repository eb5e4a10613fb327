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

  /** Of what was decided on last, or null. */
  private GatePass pass;

  Controls(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.set = session.set();
    this.run = run;
  }

  void control(Segment segment) {
    TransactionCommand command = segment.control();
    if (command.chains()) {
      new Chain(session, run, this).run(segment);
      return;
    }
    switch (command.verb()) {
      case BEGIN -> begin(segment, command);
      case COMMIT, PREPARE -> {
        if (set.status() == 'T') {
          commit(segment, run::next);
        } else {
          endAtHome(segment);
        }
      }
      case COMMIT_PREPARED, ROLLBACK_PREPARED -> endPrepared(segment, command);
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
    Backend at = set.readers().of(command);
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
    if (set.isWrapped()) {
      String what =
          switch (command.verb()) {
            case SAVEPOINT -> "SAVEPOINT";
            case RELEASE -> "RELEASE SAVEPOINT";
            default -> "ROLLBACK TO SAVEPOINT";
          };
      run.fail(ErrorFields.error("25P01", what + " can only be used in transaction blocks"));
      return;
    }
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
      case SAVEPOINT -> set.savepoints().add(command.name());
      case RELEASE -> set.savepoints().release(command.name());
      default -> {
        set.savepoints().undoTo(command.name());
        session.schema().undone();
      }
    }
  }

  /** Commits the replicator's own transaction everywhere. */
  void commit() {
    commit(null, run::complete);
  }

  /**
   * Commits the open transaction everywhere.
   *
   * @param segment the client's COMMIT, or null for the end of the replicator's own transaction
   * @param then called when it is, and the client was told
   */
  void commit(Segment segment, Runnable then) {
    session.schema().temporaries().commit();
    String gid = segment == null ? null : segment.control().name();
    begin(new Commit(set, session, gid, new Committing(segment, gid == null, then)).pass());
  }

  private void endPrepared(Segment segment, TransactionCommand command) {
    if (set.home() != null) {
      run.sender().send(set.home(), segment, run::ended); // PostgreSQL refuses it there.
      return;
    }
    boolean commits = command.verb() == TransactionCommand.Verb.COMMIT_PREPARED;
    String tag = commits ? "COMMIT PREPARED" : "ROLLBACK PREPARED";
    begin(new PreparedEnd(session, command.name(), commits, new Ending(segment, tag)).pass());
  }

  private void begin(GatePass by) {
    pass = by;
    by.enter();
  }

  /** Whether a commit must come to its end. */
  boolean isCommitting() {
    return pass != null && pass.isInside();
  }

  /** Answers the client. */
  private final class Ending implements PreparedEnd.Result {
    private final Segment segment;
    private final String tag;

    Ending(Segment segment, String tag) {
      this.segment = segment;
      this.tag = tag;
    }

    @Override
    public void done() {
      run.output().answer(segment, tag);
      run.next();
    }

    @Override
    public void refused(ErrorFields why) {
      run.fail(why);
    }

    @Override
    public void unknown(String why) {
      session.end(ErrorFields.fatal("57P01", why));
    }
  }

  /** Answers the client. */
  private final class Committing implements Commit.Result {
    private final Segment segment;
    private final boolean commits;
    private final Runnable then;

    Committing(Segment segment, boolean commits, Runnable then) {
      this.segment = segment;
      this.commits = commits;
      this.then = then;
    }

    @Override
    public void committed() {
      set.cursors().commit();
      set.setStatus('I');
      if (segment != null) {
        run.output().answer(segment, commits ? "COMMIT" : "PREPARE TRANSACTION");
      }
      then.run();
    }

    @Override
    public void notCommitted(ErrorFields why) {
      set.setStatus('I');
      set.rollbackOthers();
      refuseCommit(segment, why);
    }

    @Override
    public void unknown(String why) {
      session.end(ErrorFields.fatal("57P01", why));
    }

    @Override
    public void refused(ErrorFields why) {
      rollBack(segment, why);
    }

    @Override
    public void cameBack() {
      if (segment != null || !run.repeat()) {
        rollBack(
            segment,
            ErrorFields.error("40001", "a server came back while the transaction ran")
                .withHint("Repeat the transaction."));
      }
    }

    @Override
    public void leaderLost() {
      if (segment == null && !set.home().node().isIn()) {
        run.lost(set.home());
      } else {
        homeLost(segment);
      }
    }
  }

  /** The server of the transaction, or its backend, is gone before the client's COMMIT. */
  void homeLost(Segment segment) {
    Backend home = set.home();
    if (home.node().isIn()) {
      session.failover().ended(home);
    } else {
      rollBack(segment, home.node().moved());
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
