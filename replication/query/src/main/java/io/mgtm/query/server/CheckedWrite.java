package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One statement that may write more than it says, as triggers and functions of users do. The leader
 * counts what a transaction writes, by table: when that is the rows that the statement returned and
 * nothing else, in no table and no catalogue, the rows go to the others, where no trigger runs;
 * else it is refused, and undone. It is answered after that. Belongs to a session.
 *
 * <p>What the counts do not show is what PostgreSQL does not undo either: what is drawn from
 * sequences, and what goes out of the database. A TRUNCATE shows as a change of pg_class, but for
 * one of a table that the transaction has made or emptied before, which is why it must not have
 * changed the schema.
 */
final class CheckedWrite {
  /** Rows written to a table, elsewhere, and settings without which neither is worth anything. */
  private static final String COUNTS =
      "SELECT pg_catalog.sum(n) FILTER (WHERE c.oid OPERATOR(pg_catalog.=) t.oid),"
          + " pg_catalog.sum(n) FILTER (WHERE c.oid NOT IN (t.oid, t.reltoastrelid)),"
          + " pg_catalog.current_setting('track_counts'),"
          + " pg_catalog.current_setting('session_replication_role')"
          + " FROM pg_catalog.pg_class t, (SELECT oid, pg_catalog.pg_stat_get_xact_tuples_inserted(oid)"
          + " + pg_catalog.pg_stat_get_xact_tuples_updated(oid)"
          + " + pg_catalog.pg_stat_get_xact_tuples_deleted(oid) FROM pg_catalog.pg_class"
          + " WHERE relkind IN ('r', 't', 'm', 'p')) c (oid, n)"
          + " WHERE t.oid OPERATOR(pg_catalog.=) '%s'::pg_catalog.regclass";

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
  private ErrorFields refused;
  private boolean ended;

  CheckedWrite(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.segment = segment;
    this.leader = run.set().home();
    this.output = run.output();
    this.held = output.isHeld();
    this.mark = output.mark();
  }

  /** Asks the leader for its counts and the others for their leave, and then runs it. */
  void start() {
    if (session.schema().isChanged()) {
      run.fail(
          refusal("its transaction has changed the schema")
              .withHint("Commit the change of the schema first."));
      return;
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
      refused =
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
    if (refused == null && !before.subList(2, 4).equals(List.of("on", "origin"))) {
      refused =
          refusal(
                  "track_counts is %s and session_replication_role %s"
                      .formatted(before.get(2), before.get(3)))
              .withHint("Set them to on and origin.");
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
    if (refused == null) {
      refused = whyNot(relay, row);
    }
    if (refused == null) {
      relay.effects().asReplica();
    } else {
      output.dropAfter(mark);
    }
    end();
    if (refused == null) {
      run.ended(relay, status);
    } else {
      run.fail(refused);
    }
  }

  private ErrorFields whyNot(Relay relay, List<String> row) {
    long elsewhere = number(row.get(1)) - number(before.get(1));
    long here = number(row.get(0)) - number(before.get(0));
    String why = null;
    if (elsewhere != 0) {
      why = "a trigger or function has written to other tables, or changed the schema";
    } else if (here != relay.effects().size()) {
      why = "a trigger or function has written other rows of the table";
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
