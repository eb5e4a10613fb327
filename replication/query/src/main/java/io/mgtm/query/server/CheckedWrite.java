package io.mgtm.query.server;

import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * One statement that may write more than it says, as triggers and functions of users do, or whose
 * rows refer to one another and cannot be written one after the other elsewhere. The leader counts
 * what a transaction writes, by table: when that is the rows that the statement returned and
 * nothing else, in no table and no catalogue, and no setting is another, the rows go to the others,
 * where no trigger runs; else it is refused, and undone. It is answered after that. Belongs to a
 * session.
 *
 * <p>What the counts do not show is what PostgreSQL does not undo either: what is drawn from
 * sequences, and what goes out of the database. A TRUNCATE shows as a change of pg_class, but for
 * one of a table that the transaction has made or emptied before, which is why it must not have
 * changed the schema.
 */
final class CheckedWrite {
  /**
   * The rows written to a table; those written to each other one; the role and settings of the
   * session; and the two without which none of this is worth anything. Settings with a point in
   * their names come with what is loaded, and bind PostgreSQL to nothing.
   */
  private static final String COUNTS =
      "SELECT pg_catalog.sum(i + u + d) FILTER (WHERE c.oid = t.oid),"
          + " pg_catalog.md5(pg_catalog.string_agg(pg_catalog.concat_ws(':', c.oid, i, u, d), ','"
          + " ORDER BY c.oid) FILTER (WHERE c.oid NOT IN (t.oid, t.reltoastrelid)"
          + " AND (i <> 0 OR u <> 0 OR d <> 0))),"
          + " (SELECT pg_catalog.concat_ws(',', current_user, session_user,"
          + " pg_catalog.current_setting('role'), pg_catalog.md5(pg_catalog.string_agg("
          + "pg_catalog.concat_ws('=', name, setting), ',' ORDER BY name)))"
          + " FROM pg_catalog.pg_settings WHERE pg_catalog.strpos(name, '.') = 0),"
          + " pg_catalog.current_setting('track_counts'),"
          + " pg_catalog.current_setting('session_replication_role')"
          + " FROM pg_catalog.pg_class t, (SELECT oid, pg_catalog.pg_stat_get_xact_tuples_inserted(oid),"
          + " pg_catalog.pg_stat_get_xact_tuples_updated(oid),"
          + " pg_catalog.pg_stat_get_xact_tuples_deleted(oid) FROM pg_catalog.pg_class"
          + " WHERE relkind IN ('r', 't', 'm', 'p')) c (oid, i, u, d)"
          + " WHERE t.oid = '%s'::pg_catalog.regclass";

  /** Whether rows can be written without running triggers. */
  private static final String RIGHT =
      "SELECT pg_catalog.has_parameter_privilege('session_replication_role', 'SET'), current_user";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Segment segment;
  private final Backend leader;
  private final UnitOutput output;
  private final boolean held;
  private final int mark;
  private int unanswered;
  private List<String> before = List.of();

  /** Only so that its rows can be written at once: row by row is as good where it is one. */
  private final boolean linked;

  private ErrorFields refused;

  /** Why the others cannot write without running triggers. */
  private ErrorFields withoutRight;

  private boolean ended;

  CheckedWrite(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.segment = segment;
    this.leader = run.set().home();
    this.output = run.output();
    this.held = output.isHeld();
    this.mark = output.mark();
    this.linked = segment.command().statementClass() == StatementClass.LINKED_ROWS;
  }

  /** Asks the leader for its counts and the others for their leave, and then runs it. */
  void start() {
    if (session.schema().isChanged()) {
      withoutRight =
          refusal("its transaction has changed the schema")
              .withHint("Commit the change of the schema first.");
    }
    List<Backend> others = new ArrayList<>(run.set().live());
    others.remove(leader);
    unanswered = others.size() + 1;
    askCounts(
        row -> {
          before = row;
          answered();
        });
    for (Backend other : others) {
      other.hold(true);
      other.ask(RIGHT, Answer.row((row, error) -> right(other, row, error), this::answered));
    }
  }

  /** An error of the leader refuses the statement. */
  private void askCounts(Consumer<List<String>> then) {
    session.runsAt(null);
    String table = segment.command().statement().write().target().replace("'", "''");
    leader.hold(true);
    leader.ask(
        COUNTS.formatted(table),
        Answer.row(
            (row, error) -> {
              if (error != null) {
                refused = error;
              }
              then.accept(row);
            },
            () -> run.lost(leader)));
  }

  private void right(Backend other, List<String> row, ErrorFields error) {
    if (error != null || row.isEmpty() || !row.get(0).equals("t")) {
      withoutRight =
          ErrorFields.error(
                  "0A000",
                  "the rows of tables with triggers cannot be written at %s: %s"
                      .formatted(
                          other.node(), error == null ? "the right is missing" : error.message()))
              .withHint(
                  "Let a superuser run GRANT SET ON PARAMETER session_replication_role TO %s, at every server."
                      .formatted(row.size() < 2 ? "the role" : row.get(1)));
    }
    answered();
  }

  private void answered() {
    if (--unanswered > 0 || ended || session.isEnded()) {
      return;
    }
    if (refused == null
        && withoutRight == null
        && !before.subList(3, 5).equals(List.of("on", "origin"))) {
      withoutRight =
          refusal(
                  "track_counts is %s and session_replication_role %s"
                      .formatted(before.get(3), before.get(4)))
              .withHint("Set them to on and origin.");
    }
    if (refused == null && !linked) {
      refused = withoutRight;
    }
    if (refused != null) {
      run.fail(refused);
      return;
    }
    output.hold(true);
    run.sender().send(leader, segment, this::leaderAnswered);
  }

  private static ErrorFields refusal(String why) {
    return ErrorFields.error("0A000", "it cannot be told which rows this writes: " + why);
  }

  private void leaderAnswered(Relay relay, char status) {
    if (relay.error() != null) {
      end();
      run.ended(relay, status);
    } else {
      askCounts(row -> counted(relay, status, row));
    }
  }

  private void counted(Relay relay, char status, List<String> row) {
    if (ended || session.isEnded()) {
      return;
    }
    ErrorFields why = refused == null ? whyNotAtOnce(relay, row) : refused;
    if (why == null) {
      relay.effects().asReplica();
    } else if (refused != null || !linked || relay.effects().size() > 1) {
      refused = why;
      output.dropAfter(mark);
    }
    end();
    if (refused == null) {
      run.ended(relay, status);
    } else {
      run.fail(refused);
    }
  }

  private ErrorFields whyNotAtOnce(Relay relay, List<String> row) {
    if (withoutRight != null) {
      return withoutRight;
    }
    long here = number(row.get(0)) - number(before.get(0));
    String why = null;
    if (!Objects.equals(row.get(1), before.get(1))) {
      why = "a trigger, function or foreign key has written to other tables, or changed the schema";
    } else if (here != relay.effects().size()) {
      why = "a trigger, function or foreign key has written other rows of the table";
    } else if (!row.get(2).equals(before.get(2))) {
      why = "a trigger or function has changed the role or a setting of the session";
    } else if (relay.isKeyChanged()) {
      why = "a trigger has changed a primary key";
    }
    return why == null
        ? null
        : refusal(why)
            .withHint("Nothing was written. Write those rows by statements of their own.");
  }

  private static long number(String sum) {
    return sum == null ? 0 : Long.parseLong(sum);
  }

  /** What the client is told is no longer held for this. */
  void end() {
    if (!ended) {
      ended = true;
      output.hold(held);
      if (!held) {
        output.send();
      }
    }
  }
}
