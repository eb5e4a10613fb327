package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.connection.Futures;
import io.mgtm.query.fleet.SequenceBounds.Drawn;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What one segment has drawn from sequences at the leader, or set: it goes on when the other
 * servers are ahead of that, and so before its transaction can commit. Belongs to a session.
 */
final class SequenceDraws {
  /** One that is temporary is at the leader alone. */
  private static final String SQL =
      "SELECT pg_catalog.concat(pg_catalog.quote_ident(n.nspname), '.',"
          + " pg_catalog.quote_ident(c.relname)), pg_catalog.concat(c.oid, '.',"
          + " pg_catalog.pg_relation_filenode(c.oid)), CASE WHEN"
          + " pg_catalog.has_sequence_privilege(c.oid, 'SELECT, USAGE') THEN"
          + " pg_catalog.pg_sequence_last_value(c.oid) END, s.seqincrement, s.seqmin, s.seqmax,"
          + " pg_catalog.has_sequence_privilege(%2$s, c.oid, 'UPDATE'), %3$b"
          + " FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n"
          + " ON n.oid OPERATOR(pg_catalog.=) c.relnamespace JOIN pg_catalog.pg_sequence s"
          + " ON s.seqrelid OPERATOR(pg_catalog.=) c.oid WHERE c.relpersistence"
          + " OPERATOR(pg_catalog.<>) 't' AND c.oid OPERATOR(pg_catalog.=)"
          + " (%1$s)::pg_catalog.regclass::pg_catalog.oid";

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
    if (session.schema().isChanged()) {
      run.fail(
          ErrorFields.error(
                  "0A000", "sequences are not drawn from by name where the schema was changed")
              .withHint("Commit the change of the schema first."));
      return;
    }
    session.runsAt(null);
    leader.hold(true);
    leader.ask(
        question(),
        session.planner().charset(),
        Answer.rows(
            session.planner().charset(),
            (rows, error) -> known(rows, error, then),
            () -> run.lost(leader)));
  }

  private String question() {
    String own = Quoting.literal(session.shared().config().role().user());
    return segment
        .executed()
        .filter(Prepared::draws)
        .map(Prepared::statement)
        .map(Statement::sequences)
        .flatMap(List::stream)
        .distinct()
        .map(draw -> SQL.formatted(draw.sequence(), own, draw.sets()))
        .collect(Collectors.joining("; "));
  }

  private void known(List<List<String>> rows, ErrorFields error, Runnable then) {
    if (ended || session.isEnded()) {
      return;
    }
    if (error != null) {
      run.fail(error);
      return;
    }
    List<Drawn> all = new ArrayList<>();
    for (List<String> row : rows) {
      if (!row.get(6).equals("t")) {
        run.fail(
            ErrorFields.error(
                    "0A000", "the replicator may not set the sequence " + row.get(0) + " elsewhere")
                .withHint(
                    "GRANT UPDATE ON SEQUENCE %s TO %s, at every server; or grant it pg_write_all_data."
                        .formatted(row.get(0), session.shared().config().role().user())));
        return;
      }
      all.add(drawn(row));
    }
    Futures.all(all.stream().map(session.shared().sequences()::cover))
        .whenComplete((nothing, cause) -> session.execute(() -> covered(cause, then)));
  }

  private Drawn drawn(List<String> row) {
    return new Drawn(
        leader.node(),
        session.schema().database(),
        row.get(0),
        row.get(1),
        row.get(2) == null ? null : Long.valueOf(row.get(2)),
        Long.parseLong(row.get(3)),
        Long.parseLong(row.get(4)),
        Long.parseLong(row.get(5)),
        row.get(7).equals("t"));
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
      run.fail(
          ErrorFields.error(
                  "40001",
                  "the sequences of the other servers were not set: " + Futures.reason(cause))
              .withHint("Repeat the transaction."));
    }
  }

  /** Nothing is to be done with it any more. */
  void end() {
    ended = true;
  }
}
