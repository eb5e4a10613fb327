package io.mgtm.query.session;

import io.mgtm.query.catalogue.CaptureSchema;
import io.mgtm.query.catalogue.Captures;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * One statement that may write more than it says, as triggers and functions of users do, or whose
 * rows refer to one another and cannot be written one after the other elsewhere. The leader counts
 * what a transaction writes, by table: when that is the rows that the statement returned and
 * nothing else, in no table and no catalogue, and no setting is another, the rows go to the others,
 * where no trigger runs. Where more was written, the rows go that triggers of the replicator's have
 * captured at the leader, if each table that was written to has one; else it is refused, and
 * undone. It is answered after that. Belongs to a session.
 *
 * <p>What the counts do not show is what PostgreSQL does not undo either: what is drawn from
 * sequences, and what goes out of the database. A TRUNCATE shows as a change of pg_class, but for
 * one of a table that the transaction has made or emptied before, which is why it must not have
 * changed the schema.
 */
final class CheckedWrite {
  private static final String BY_OWN_STATEMENTS =
      "Nothing was written. Write those rows by statements of their own.";

  /** Whether rows can be written without running triggers. */
  private static final String RIGHT =
      "SELECT pg_catalog.has_parameter_privilege('session_replication_role', 'SET'), current_user";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Segment segment;
  private final Backend leader;
  private final HeldAnswer answer;
  private final Captures captures;

  /** Null where no rows are returned that tell what it does. */
  private final RowWrite write;

  /**
   * Whether rows are captured from the first. Where the transaction can be run again they are not,
   * unless its table is known to need it.
   */
  private final boolean capturing;

  /** Only so that its rows can be written at once: row by row is as good where it is one. */
  private final boolean linked;

  private int unanswered;
  private String token;
  private XactCounts before;
  private ErrorFields refused;

  /** Why the others cannot write without running triggers. */
  private ErrorFields withoutRight;

  /** Whether the counts tell what is written. */
  private boolean counts = true;

  CheckedWrite(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.segment = segment;
    this.leader = session.set().home();
    this.answer = new HeldAnswer(run.output());
    this.captures = session.schema().known().captures();
    this.write = segment.command().statement().write();
    this.capturing =
        captures.areOn()
            && (write == null
                || !session.set().isWrapped()
                || run.isRepeated()
                || captures.writesMore(write.target()));
    this.linked = segment.command().statementClass() == StatementClass.LINKED_ROWS;
  }

  /** Asks the leader for its counts and the others for their leave, and then runs it. */
  void start() {
    if (write == null && !captures.areOn()) {
      run.fail(
          refusal(segment.command().statement().classification().why()).withHint(captures.lacks()));
      return;
    }
    if (session.schema().isChanged()) {
      counts = false;
      withoutRight =
          refusal("its transaction has changed the schema")
              .withHint("Commit the change of the schema first.");
    }
    List<Backend> others = new ArrayList<>(session.set().live());
    others.remove(leader);
    unanswered = others.size() + 1;
    ask(
        capturing ? CaptureSchema.BEGINS + "; " : "",
        rows -> {
          if (rows != null && capturing) {
            token = rows.get(0).get(0);
            before = XactCounts.of(rows.subList(1, rows.size()));
          } else if (rows != null) {
            before = XactCounts.of(rows);
          }
          answered();
        });
    for (Backend other : others) {
      other.hold(true);
      other.ask(RIGHT, Answer.row((row, error) -> right(other, row, error), this::answered));
    }
  }

  /** The leader's counts; null for an error, which refuses the statement. */
  private void ask(String first, Consumer<List<List<String>>> then) {
    session.runsAt(null);
    leader.hold(true);
    leader.ask(
        first + XactCounts.SQL,
        Answer.rows(
            session.planner().charset(),
            (rows, error) -> {
              if (error != null) {
                refused = error;
              }
              then.accept(error == null ? rows : null);
            },
            () -> run.lost(leader)));
  }

  private void right(Backend other, List<String> row, ErrorFields error) {
    if (error != null && Difference.isOfServer(error)) {
      refused = error;
    } else if (error != null || row.isEmpty() || !row.get(0).equals("t")) {
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
    if (--unanswered > 0 || answer.isEnded() || session.isEnded()) {
      return;
    }
    if (refused == null
        && withoutRight == null
        && !(before.trackCounts().equals("on") && before.replicationRole().equals("origin"))) {
      counts = false;
      withoutRight =
          refusal(
                  "track_counts is %s and session_replication_role %s"
                      .formatted(before.trackCounts(), before.replicationRole()))
              .withHint("Set them to on and origin.");
    }
    // What is of class C may turn out to write nothing.
    if (refused == null && !linked && !(write == null && counts)) {
      refused = withoutRight;
    }
    if (refused != null) {
      run.fail(refused);
      return;
    }
    answer.hold();
    run.sender().send(leader, segment, this::leaderAnswered);
  }

  private static ErrorFields refusal(String why) {
    return ErrorFields.error("0A000", "it cannot be told which rows this writes: " + why);
  }

  /** It is COPY, and the client was told all that was held, as it is asked for data. */
  void copyBegins() {
    answer.beginHere();
  }

  private void leaderAnswered(Relay relay, char status) {
    run.awaited().copyTaken();
    if (relay.error() != null) {
      answer.end();
      run.ended(relay, status);
      return;
    }
    ask("", rows -> counted(relay, status, rows));
  }

  private void counted(Relay relay, char status, List<List<String>> rows) {
    if (answer.isEnded() || session.isEnded()) {
      return;
    }
    if (refused != null) {
      refuse(refused);
      return;
    }
    XactCounts after = XactCounts.of(rows);
    if (!after.cursors().equals(before.cursors())) {
      session.set().cursors().forget();
    }
    Set<String> tables = after.since(before);
    boolean set = !after.settings().equals(before.settings());
    String why =
        set ? "a trigger or function has changed the role or a setting of the session" : null;
    String more = write == null ? "" : whyMoreThanRows(relay, tables, after);
    if (why == null && write == null && tables.isEmpty()) {
      drop();
      ended(relay, status);
    } else if (why == null && more == null && withoutRight == null) {
      relay.effects().asReplica();
      drop();
      ended(relay, status);
    } else if (linked && relay.effects().size() <= 1) {
      drop();
      ended(relay, status);
    } else if (withoutRight != null) {
      refuse(withoutRight);
    } else if (why == null && capturing) {
      capture(relay, status, tables, after);
    } else if (why == null && captures.areOn()) {
      repeat(more);
    } else {
      String or = captures.areOn() ? "" : " Or: " + captures.lacks();
      refuse(refusal(why == null ? more : why).withHint(BY_OWN_STATEMENTS + or));
    }
  }

  /** Why the rows that it returned are not all that was written, or null. */
  private String whyMoreThanRows(Relay relay, Set<String> tables, XactCounts after) {
    if (tables.stream().anyMatch(table -> !table.equals(write.target()))) {
      return "a trigger, function or foreign key has written to other tables, or changed the schema";
    }
    long here = after.writtenTo(write.target()) - before.writtenTo(write.target());
    if (here != relay.effects().size()) {
      return "a trigger, function or foreign key has written other rows of the table";
    }
    return relay.isKeyChanged() ? "a trigger has changed a primary key" : null;
  }

  /** It is run again, and what it writes is captured. */
  private void repeat(String more) {
    captures.sawMore(write.target());
    answer.drop();
    if (!run.repeat()) {
      run.fail(refusal(more).withHint("Repeat it."));
    }
  }

  /** Where each table had the trigger, nothing that was written has passed it by. */
  private void capture(Relay relay, char status, Set<String> tables, XactCounts after) {
    relay.effects().clear();
    for (String table : tables) {
      String why = captures.whyNot(table, after.triggers().get(table));
      if (why != null) {
        refuse(refusal(why).withHint(BY_OWN_STATEMENTS));
        return;
      }
    }
    relay.effects().asReplica();
    if (tables.isEmpty()) {
      drop();
      ended(relay, status);
      return;
    }
    leader.hold(true);
    leader.ask(
        CaptureSchema.ends(token),
        session.planner().charset(),
        new CapturedRows(
            session,
            relay.effects(),
            (why, error) -> {
              token = null;
              if (answer.isEnded() || session.isEnded()) {
                return;
              }
              if (error != null) {
                refuse(error);
              } else if (why == null) {
                ended(relay, status);
              } else {
                refuse(refusal(why).withHint("Nothing was written."));
              }
            },
            () -> run.lost(leader)));
  }

  /** What was captured is not needed. */
  private void drop() {
    if (token != null) {
      leader.ask(CaptureSchema.drops(token), session.failover().unfailing(leader));
    }
  }

  private void ended(Relay relay, char status) {
    if (!linked) {
      relay.ranCode();
    }
    answer.end();
    run.ended(relay, status);
  }

  private void refuse(ErrorFields why) {
    answer.drop();
    run.fail(why);
  }

  /** Nothing comes of it, unless it has ended. */
  void abandon() {
    answer.drop();
  }
}
