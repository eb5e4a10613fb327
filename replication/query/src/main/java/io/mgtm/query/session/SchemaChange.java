package io.mgtm.query.session;

import io.mgtm.query.catalogue.CaptureSchema;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.sql.CreateAs;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import io.netty.util.concurrent.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * One statement that changes the schema: at the leader first, then its text at the others; it is
 * answered when all have done it. Of CREATE TABLE AS the others are given the definition of the
 * table that the leader has made, and then its rows. Belongs to a session.
 */
final class SchemaChange {
  /** What cannot be seen in the text. */
  private static final String CHECK =
      "SELECT ("
          + TemporaryTables.OIDS
          + "), pg_catalog.current_setting('transaction_isolation'),"
          + " current_user, pg_catalog.current_setting('search_path')";

  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String INVALID_PARAMETER = "22023";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Statement statement;
  private final CreateAs createAs;
  private final Backend leader;
  private final long beganNanos = System.nanoTime();
  private final List<Backend> left = new ArrayList<>();

  /** With which the leader has answered, and the state of its transaction then. */
  private Relay relay;

  private char status;

  /** What a query has made, or null. */
  private MadeTable made;

  private Future<?> late;
  private ErrorFields blocked;

  private final HeldAnswer answer;

  SchemaChange(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.statement = segment.command().statement();
    this.createAs = CreateAs.of(statement);
    this.leader = session.set().home();
    this.answer = new HeldAnswer(run.output());
    answer.hold();
  }

  /** Nothing comes of it, unless it has ended. */
  void abandon() {
    answer.drop();
  }

  private void fail(ErrorFields why) {
    answer.drop();
    run.fail(why);
  }

  /** The leader has answered. */
  void leaderAnswered(Relay answered, char then) {
    relay = answered;
    status = then;
    if (relay.error() != null) {
      answer.end();
      run.ended(relay, status);
      return;
    }
    if (createAs != null && createAs.isSkipped(relay.tag())) {
      tell();
      answer.end();
      run.ended(relay, status);
      return;
    }
    session.schema().change(statement);
    leader.hold(true);
    leader.ask(
        makesTable() ? CHECK + "; " + CaptureSchema.INSTALLS : CHECK,
        Answer.rows(
            session.planner().charset(),
            (rows, error) -> checked(rows.isEmpty() ? List.of() : rows.get(0), error),
            () -> run.lost(leader)));
  }

  private boolean makesTable() {
    return createAs != null || (statement.word(0).equals("create") && statement.has("table"));
  }

  private void checked(List<String> row, ErrorFields error) {
    if (error != null) {
      fail(error);
    } else if (row.isEmpty() || !session.schema().temporaries().are(row.get(0))) {
      fail(
          ErrorFields.error(
                  "0A000", "a temporary table was made or dropped by what all servers are to do")
              .withHint("Leave pg_temp out of search_path, and CASCADE; write CREATE TEMP."));
    } else if (!row.get(1).equals("read committed")) {
      fail(
          ErrorFields.error(
                  "0A000", "the schema is not changed in a transaction that is " + row.get(1))
              .withHint("Use isolation level READ COMMITTED."));
    } else if (createAs == null) {
      keep(row.get(2), row.get(3));
      tellOthers();
    } else {
      read(row.get(2), row.get(3));
    }
  }

  private void read(String role, String path) {
    made = new MadeTable(session, createAs, statement.text(), relay.tag(), () -> run.lost(leader));
    made.read(
        error -> {
          if (error == null) {
            keep(role, path);
            tellOthers();
          } else {
            fail(error);
          }
        });
  }

  /** What the others are to run. */
  private String text() {
    return made == null ? statement.text() : made.definition();
  }

  /** What they are to answer. */
  private String tag() {
    return made == null ? relay.tag() : CreateAs.DEFINED;
  }

  /** The log has by whom it was done, and where names are looked for; bodies were checked here. */
  private void keep(String role, String path) {
    Effects effects = new Effects(session.planner().charset());
    effects.text(Prepared.effect("", "SET LOCAL ROLE " + Quoting.name(role)), "SET");
    effects.text(
        Prepared.effect("", "SELECT " + RedoCodec.setConfig("search_path", path)), "SELECT 1");
    effects.text(
        Prepared.effect("", "SELECT " + RedoCodec.setConfig("check_function_bodies", "off")),
        "SELECT 1");
    effects.text(Prepared.effect("", text()), tag());
    if (makesTable()) {
      effects.text(Prepared.effect("", CaptureSchema.INSTALLS), "SELECT 1");
    }
    effects.text(
        Prepared.effect("", "SELECT " + RedoCodec.setConfig("search_path", "pg_catalog")),
        "SELECT 1");
    effects.text(Prepared.effect("", "SET LOCAL ROLE NONE"), "SET");
    session.set().redo().add(effects, session.settings().query());
  }

  private void tellOthers() {
    if (session.isEnded()) {
      return;
    }
    leader.node().writes().increment();
    session.runsAt(null);
    int applyMs = session.shared().config().timeouts().applyMs();
    long leaderMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
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
          text(),
          session.planner().charset(),
          Answer.of((got, error, z) -> answered(other, got, error), () -> done(other)));
      String after = makesTable() ? CaptureSchema.INSTALLS + "; " : "";
      other.ask(after + "SET LOCAL lock_timeout = 0", Answer.of((t, e, z) -> {}, () -> {}));
    }
    left.add(leader);
    done(leader);
  }

  private void answered(Backend other, String got, ErrorFields error) {
    if (error != null && error.sqlState().equals(LOCK_NOT_AVAILABLE)) {
      blocked =
          ErrorFields.error(
                  LOCK_NOT_AVAILABLE,
                  "the server at %s cannot change its schema while others read: %s"
                      .formatted(other.node(), error.message()))
              .withHint("Repeat it when long reads of what is changed have ended.");
    } else if (error != null && isBeyond(error)) {
      blocked =
          ErrorFields.error(
                  "0A000",
                  "the sequence of the server at %s is further: %s"
                      .formatted(other.node(), error.message()))
              .withHint("Say by RESTART WITH where all are to go on.");
    } else if (error != null || !tag().equals(got)) {
      Difference wrong = error != null ? Difference.failed(error) : Difference.answered(got, tag());
      if (session.set().readers().isFar(other)) {
        blocked = wrong.ofVersion(other.node());
      } else {
        session.set().differs(other, wrong);
      }
    }
    done(other);
  }

  /** Where the leader's sequence is within new bounds, another's may not be, as it is set ahead. */
  private boolean isBeyond(ErrorFields error) {
    return statement.word(0).equals("alter") && error.sqlState().equals(INVALID_PARAMETER);
  }

  private void done(Backend one) {
    if (left.remove(one) && left.isEmpty()) {
      late.cancel(false);
      if (!session.isEnded()) {
        allAnswered();
      }
    }
  }

  /** All have the change, or it cannot be had. */
  private void allAnswered() {
    if (blocked != null && !run.awaited().isHomeLost()) {
      fail(blocked);
    } else if (made == null || !run.awaited().settles(relay, this::allAnswered)) {
      run.awaited().schemaChanged(status, this::fill);
    }
  }

  /** The others have the table. */
  private void fill() {
    if (made != null) {
      session.set().apply(made.rows(), relay.nanos());
      tell();
    }
    answer.end();
  }

  /** What the leader has answered is kept back until then. */
  private void tell() {
    run.forward(Messages.commandComplete(session.alloc(), relay.tag()));
  }
}
