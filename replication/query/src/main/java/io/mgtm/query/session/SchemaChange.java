package io.mgtm.query.session;

import io.mgtm.query.catalogue.CaptureSchema;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.wire.ErrorFields;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One statement that changes the schema: at the leader first, then its text at the others; it is
 * answered when all have done it. Belongs to a session.
 */
final class SchemaChange {
  /** What cannot be seen in the text. */
  private static final String CHECK =
      "SELECT ("
          + TemporaryTables.OIDS
          + "), pg_catalog.current_setting('transaction_isolation'),"
          + " current_user, pg_catalog.current_setting('search_path')";

  private static final String LOCK_NOT_AVAILABLE = "55P03";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Segment segment;
  private final Backend leader;
  private final long beganNanos = System.nanoTime();
  private final List<Backend> left = new ArrayList<>();
  private Future<?> late;
  private ErrorFields blocked;

  SchemaChange(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.segment = segment;
    this.leader = session.set().home();
  }

  /** The leader has answered. */
  void leaderAnswered(Relay relay, char status) {
    if (relay.error() != null) {
      run.ended(relay, status);
      return;
    }
    session.schema().change();
    leader.hold(true);
    leader.ask(
        makesTable() ? CHECK + "; " + CaptureSchema.INSTALLS : CHECK,
        Answer.row((row, error) -> checked(relay, status, row, error), () -> run.lost(leader)));
  }

  private boolean makesTable() {
    Statement statement = segment.command().statement();
    return statement.word(0).equals("create") && statement.has("table");
  }

  private void checked(Relay relay, char status, List<String> row, ErrorFields error) {
    if (error != null) {
      run.fail(error);
    } else if (row.isEmpty() || !session.schema().temporaries().are(row.get(0))) {
      run.fail(
          ErrorFields.error(
                  "0A000", "a temporary table was made or dropped by what all servers are to do")
              .withHint("Leave pg_temp out of search_path, and CASCADE; write CREATE TEMP."));
    } else if (!row.get(1).equals("read committed")) {
      run.fail(
          ErrorFields.error(
                  "0A000", "the schema is not changed in a transaction that is " + row.get(1))
              .withHint("Use isolation level READ COMMITTED."));
    } else {
      keep(row.get(2), row.get(3), relay.tag());
      tellOthers(relay.tag(), status);
    }
  }

  /** The log has by whom it was done, and where names are looked for; bodies were checked here. */
  private void keep(String role, String path, String tag) {
    Effects effects = new Effects(session.planner().charset());
    effects.text(Prepared.effect("", "SET LOCAL ROLE " + Quoting.name(role)), "SET");
    effects.text(
        Prepared.effect("", "SELECT " + RedoCodec.setConfig("search_path", path)), "SELECT 1");
    effects.text(
        Prepared.effect("", "SELECT " + RedoCodec.setConfig("check_function_bodies", "off")),
        "SELECT 1");
    effects.text(Prepared.effect("", segment.command().statement().text()), tag);
    if (makesTable()) {
      effects.text(Prepared.effect("", CaptureSchema.INSTALLS), "SELECT 1");
    }
    effects.text(
        Prepared.effect("", "SELECT " + RedoCodec.setConfig("search_path", "pg_catalog")),
        "SELECT 1");
    effects.text(Prepared.effect("", "SET LOCAL ROLE NONE"), "SET");
    session.set().redo().add(effects, session.settings().query());
  }

  private void tellOthers(String tag, char status) {
    if (session.isEnded()) {
      return;
    }
    leader.node().writes().increment();
    session.runsAt(null);
    int applyMs = session.shared().config().timeouts().applyMs();
    long leaderMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    String sql = segment.command().statement().text();
    for (Backend other : session.set().live()) {
      if (other != leader) {
        left.add(other);
      }
    }
    late =
        session
            .loop()
            .schedule(
                () ->
                    List.copyOf(left)
                        .forEach(b -> session.set().late(b, "has not changed its schema in time")),
                leaderMs + 2L * applyMs,
                TimeUnit.MILLISECONDS);
    for (Backend other : List.copyOf(left)) {
      session.set().join(other);
      other.node().effects().increment();
      // Who reads there holds locks that are not held at the leader.
      other.ask("SET LOCAL lock_timeout = " + applyMs, Answer.of((t, e, z) -> {}, () -> {}));
      other.ask(
          sql,
          session.planner().charset(),
          Answer.of(
              (got, error, z) -> answered(other, tag, got, error, status),
              () -> done(other, status)));
      String after = makesTable() ? CaptureSchema.INSTALLS + "; " : "";
      other.ask(after + "SET LOCAL lock_timeout = 0", Answer.of((t, e, z) -> {}, () -> {}));
    }
    left.add(leader);
    done(leader, status);
  }

  private void answered(Backend other, String tag, String got, ErrorFields error, char status) {
    if (error != null && error.sqlState().equals(LOCK_NOT_AVAILABLE)) {
      blocked =
          ErrorFields.error(
                  LOCK_NOT_AVAILABLE,
                  "the server at %s cannot change its schema while others read: %s"
                      .formatted(other.node(), error.message()))
              .withHint("Repeat it when long reads of what is changed have ended.");
    } else if (error != null || !tag.equals(got)) {
      Difference wrong = error != null ? Difference.failed(error) : Difference.answered(got, tag);
      if (session.set().isFar(other)) {
        blocked = wrong.ofVersion(other.node());
      } else {
        session.set().differs(other, wrong);
      }
    }
    done(other, status);
  }

  private void done(Backend one, char status) {
    if (left.remove(one) && left.isEmpty()) {
      late.cancel(false);
      if (!session.isEnded()) {
        run.awaited().schemaChanged(status, blocked);
      }
    }
  }
}
