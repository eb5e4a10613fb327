package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.TransactionCommand;
import io.mgtm.query.wire.ErrorFields;

/**
 * COMMIT or ROLLBACK with AND CHAIN: another transaction begins, with what the one before was set
 * to. Belongs to a session.
 */
final class Chain {
  /** For a query that begins one like the one that is open. */
  private static final String BEGIN =
      "SELECT pg_catalog.format('BEGIN ISOLATION LEVEL %s READ %s, %s DEFERRABLE',"
          + " pg_catalog.current_setting('transaction_isolation'),"
          + " CASE pg_catalog.current_setting('transaction_read_only')"
          + " WHEN 'on' THEN 'ONLY' ELSE 'WRITE' END,"
          + " CASE pg_catalog.current_setting('transaction_deferrable')"
          + " WHEN 'on' THEN '' ELSE 'NOT' END)";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Controls controls;
  private final ServerSet set;
  private boolean readOnly;

  Chain(ReplicatedSession session, UnitRun run, Controls controls) {
    this.session = session;
    this.run = run;
    this.controls = controls;
    this.set = session.set();
  }

  void run(Segment segment) {
    boolean commits = segment.control().verb() == TransactionCommand.Verb.COMMIT;
    readOnly = set.isReadOnly();
    if (set.home() == null || set.isWrapped()) {
      String command = commits ? "COMMIT" : "ROLLBACK";
      run.fail(
          ErrorFields.error(
              "25P01", command + " AND CHAIN can only be used in transaction blocks"));
    } else if (session.failover().isMoved() || (readOnly && set.status() == 'E')) {
      // PostgreSQL 15 forgets that as well, and what follows might write at another server.
      run.fail(
          ErrorFields.error("0A000", "it is not known any more how the transaction had begun")
              .withHint("ROLLBACK, then BEGIN."));
    } else if (commits && set.status() == 'T') {
      commit(segment);
    } else {
      rollBack(segment);
    }
  }

  private void commit(Segment segment) {
    Backend home = set.home();
    home.hold(true);
    home.ask(
        BEGIN,
        Answer.row(
            (row, error) -> {
              if (error == null) {
                controls.commit(segment, () -> begin(home, row.get(0)));
              } else {
                controls.rollBack(segment, error);
              }
            },
            () -> controls.homeLost(segment)));
  }

  /** The one before is committed; this one waits for its turn as every other. */
  private void begin(Backend home, String sql) {
    if (!session.turn().take(() -> begin(home, sql))) {
      return;
    }
    begun(home);
    home.ask(
        sql,
        Answer.of(
            (tag, error, status) -> {
              if (error == null) {
                run.next();
              } else {
                set.setStatus('I');
                run.fail(error);
              }
            },
            () -> session.failover().homeLost(run::next)));
  }

  private void begun(Backend home) {
    set.begin(home, false);
    set.timeouts().maySet(); // It may be SERIALIZABLE.
    if (readOnly) {
      set.beginReadOnly();
    }
  }

  /** The server does both, also with one that has failed. */
  private void rollBack(Segment segment) {
    Backend home = set.home();
    set.rollbackOthers();
    run.sender()
        .send(
            home,
            segment,
            (relay, status) -> {
              if (status == 'T') {
                set.setStatus('I');
                begun(home);
              }
              run.ended(relay, status);
            });
  }
}
