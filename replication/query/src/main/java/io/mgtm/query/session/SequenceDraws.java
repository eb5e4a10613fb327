package io.mgtm.query.session;

import io.mgtm.query.catalogue.DrawnSequences;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.fleet.SequenceBounds;
import io.mgtm.query.fleet.SequenceBounds.Drawn;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What a segment's transaction has drawn from sequences at the leader, or set: the segment ends
 * when the other servers are ahead of that, and so before the transaction can commit. Where it has
 * made or altered a sequence, nobody else can draw from that one or set it, and the others set it
 * in the same transaction. Belongs to a session.
 */
final class SequenceDraws {
  /** Also whether the own role may set it, and what follows. */
  private static final String SQL =
      DrawnSequences.sql(
          "pg_catalog.pg_backend_pid()",
          ", pg_catalog.has_sequence_privilege(%s, l.relation, 'UPDATE'), %s");

  /** Whether the transaction has made or altered it, and whether its role may set it. */
  private static final String TOUCHED =
      "EXISTS (SELECT FROM pg_catalog.pg_lock_status() t WHERE t.relation OPERATOR(pg_catalog.=)"
          + " l.relation AND t.pid OPERATOR(pg_catalog.=) l.pid AND t.mode OPERATOR(pg_catalog.=)"
          + " ANY ('{ShareRowExclusiveLock,ExclusiveLock,AccessExclusiveLock}'::pg_catalog.text[])),"
          + " pg_catalog.has_sequence_privilege(l.relation, 'UPDATE')"
          + " AND pg_catalog.has_sequence_privilege(l.relation, 'SELECT')";

  private static final String UNTOUCHED = "false, false";
  private static final int OWN_COLUMN = 6;
  private static final int TOUCHED_COLUMN = 7;
  private static final int ROLE_COLUMN = 8;

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Segment segment;
  private final Backend leader;
  private boolean ended;

  SequenceDraws(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.segment = segment;
    this.leader = session.set().home();
  }

  /**
   * Looks which sequences they are, and how far.
   *
   * @param then is run when the others are ahead
   */
  void settle(Runnable then) {
    boolean leads = leader != null && leader.node() == session.shared().fleet().leader();
    if (!leads || session.set().isReadOnly()) {
      then.run(); // Nothing was drawn, or its transaction does not commit.
      return;
    }
    boolean sets =
        segment
            .executed()
            .map(Prepared::statement)
            .anyMatch(statement -> statement != null && statement.setsSequences());
    String own = Quoting.literal(session.shared().config().role().user());
    String touched = session.schema().isChanged() ? TOUCHED : UNTOUCHED;
    session.runsAt(null);
    ask(SQL.formatted(own, touched), rows -> known(rows, sets, then));
  }

  /** Asks in the open transaction. */
  private void ask(String sql, Consumer<List<List<String>>> then) {
    leader.hold(true);
    leader.ask(
        sql,
        session.planner().charset(),
        Answer.rows(
            session.planner().charset(),
            (rows, error) -> {
              if (ended || session.isEnded()) {
                return;
              }
              if (error == null) {
                then.accept(rows);
              } else {
                run.fail(error);
              }
            },
            () -> run.lost(leader)));
  }

  private void known(List<List<String>> rows, boolean sets, Runnable then) {
    List<Drawn> touched = new ArrayList<>();
    List<Drawn> others = new ArrayList<>();
    boolean hidden = false;
    for (List<String> row : rows) {
      boolean inTransaction = isTrue(row, TOUCHED_COLUMN);
      if (!isTrue(row, inTransaction ? ROLE_COLUMN : OWN_COLUMN)) {
        run.fail(whoMayNot(row.get(0), inTransaction));
        return;
      }
      if (!DrawnSequences.isReadable(row)) {
        hidden = true;
      } else if (sets || DrawnSequences.isUsed(row)) { // Set, it may give its value first.
        (inTransaction ? touched : others)
            .add(Drawn.of(leader.node(), session.schema().database(), row, sets));
      }
    }
    boolean more = hidden;
    setInTransaction(touched, () -> cover(others, more, then));
  }

  private static boolean isTrue(List<String> row, int column) {
    return row.get(column).equals("t");
  }

  private ErrorFields whoMayNot(String sequence, boolean inTransaction) {
    String hint =
        inTransaction
            ? "The transaction has made or altered it: let its role have SELECT and UPDATE, or commit first."
            : "GRANT UPDATE ON SEQUENCE %s TO %s, at every server; or grant it pg_write_all_data."
                .formatted(sequence, session.shared().config().role().user());
    return ErrorFields.error("0A000", "the sequence " + sequence + " may not be set elsewhere")
        .withHint(hint);
  }

  /** Those that nobody else sees, or draws from, before the transaction has ended. */
  private void setInTransaction(List<Drawn> touched, Runnable then) {
    String unknown =
        touched.stream()
            .filter(one -> one.last() == null)
            .map(one -> "SELECT last_value FROM " + one.name())
            .collect(Collectors.joining("; "));
    if (unknown.isEmpty()) {
      set(touched);
      then.run();
      return;
    }
    ask(
        unknown,
        rows -> {
          Iterator<List<String>> values = rows.iterator();
          set(
              touched.stream()
                  .map(
                      one ->
                          one.last() == null ? one.with(Long.parseLong(values.next().get(0))) : one)
                  .toList());
          then.run();
        });
  }

  private void set(List<Drawn> touched) {
    if (touched.isEmpty()) {
      return;
    }
    Effects effects = new Effects(session.planner().charset());
    for (Drawn one : touched) {
      effects.text(
          Prepared.effect(
              "",
              "SELECT pg_catalog.setval(%s, %d)"
                  .formatted(Quoting.literal(one.name()), one.ahead())),
          "SELECT 1");
    }
    session.set().apply(effects, 0);
  }

  /**
   * Those of others.
   *
   * @param hidden whether there are more, which the client's role may not read but the own may
   */
  private void cover(List<Drawn> all, boolean hidden, Runnable then) {
    SequenceBounds bounds = session.shared().sequences();
    Stream<CompletableFuture<Void>> more =
        hidden
            ? Stream.of(
                bounds.coverDrawn(
                    leader.node(), session.schema().database(), leader.connection().pid()))
            : Stream.of();
    Futures.all(Stream.concat(all.stream().map(bounds::cover), more))
        .whenComplete((nothing, cause) -> session.execute(() -> covered(cause, then)));
  }

  private void covered(Throwable cause, Runnable then) {
    if (ended || session.isEnded()) {
      return;
    }
    if (run.awaited().isHomeLost()) {
      run.lost(leader);
    } else if (cause == null) {
      then.run();
    } else {
      run.fail(notSet(cause));
    }
  }

  /** Another server leads by now, or this replicator does not order any more. */
  static ErrorFields notSet(Throwable cause) {
    return ErrorFields.error(
            "40001", "the sequences of the other servers were not set: " + Futures.reason(cause))
        .withHint("Repeat the transaction.");
  }

  /** Nothing is to be done with it any more. */
  void end() {
    ended = true;
  }
}
