package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Function;

/**
 * Runs the commands that write no rows, and that each server runs for itself, if any does: those
 * about prepared statements and settings, and maintenance. Belongs to a session.
 */
final class UtilityCommands {
  private final ReplicatedSession session;
  private final ServerSet set;
  private final UnitRun run;
  private final SettingCommands settings;

  UtilityCommands(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.set = session.set();
    this.run = run;
    this.settings = new SettingCommands(session, run, this);
  }

  /** One of class SESSION or OWN. */
  void run(Segment segment) {
    Statement statement = segment.command().statement();
    boolean all = statement.endsWith("all");
    if (set.status() == 'E') {
      run.sender().send(set.home(), segment, run::ended);
    } else if (statement.statementClass() == StatementClass.OWN) {
      own(segment, statement.word(0));
    } else if (statement.word(0).equals("prepare")) {
      prepare(segment, statement);
    } else if (statement.word(0).equals("deallocate") && !all) {
      deallocate(segment, statement.word(statement.word(1).equals("prepare") ? 2 : 1));
    } else if (statement.word(0).equals("select")) {
      settings.called(segment);
    } else {
      settings.set(segment);
    }
  }

  /** The trigger by which rows are captured is there where it can be. */
  private void own(Segment segment, String verb) {
    boolean drops = verb.equals("drop");
    if (drops) {
      run.forward(
          Messages.notice(
              session.alloc(),
              ErrorFields.warning("01000", "the replicator keeps its trigger on the table")));
    }
    answer(
        segment, drops ? "DROP TRIGGER" : verb.equals("create") ? "CREATE TRIGGER" : "ALTER TABLE");
  }

  /** No server is asked: it learns the statement when it is executed. */
  private void prepare(Segment segment, Statement statement) {
    Refusal refusal = session.planner().prepare(statement);
    if (refusal == null) {
      answer(segment, "PREPARE");
    } else {
      run.fail(UnitOutput.error(refusal));
    }
  }

  /**
   * What PostgreSQL runs outside of transactions: the leader first, whose answer the client gets. A
   * server that could not do it holds the same rows as before.
   */
  void maintenance(Segment segment) {
    Statement statement = segment.command().statement();
    if (set.home() != null) {
      run.fail(
          ErrorFields.error(
                  "25001",
                  statement.word(0).toUpperCase(Locale.ROOT)
                      + " runs outside of transactions, as each server does it by itself")
              .withHint("Send it by itself, with no transaction open."));
      return;
    }
    Backend leader = set.chosen();
    run.sender()
        .send(
            leader,
            segment,
            (relay, status) -> {
              if (relay.error() == null) {
                everywhere(
                    leader, other -> statement.text(), this::warn, () -> run.ended(relay, status));
              } else {
                run.ended(relay, status);
              }
            });
  }

  private void warn(Backend at, ErrorFields refused) {
    run.forward(
        Messages.notice(
            session.alloc(),
            ErrorFields.warning(
                refused.sqlState(),
                "the server at " + at.node() + " did not do it: " + refused.message())));
  }

  /**
   * Each other server is asked something.
   *
   * @param sql for it; null for nothing
   */
  void everywhere(
      Backend but,
      Function<Backend, String> sql,
      BiConsumer<Backend, ErrorFields> refused,
      Runnable then) {
    List<Backend> others =
        set.live().stream().filter(b -> b != but && sql.apply(b) != null).toList();
    int[] left = {others.size()};
    Runnable one =
        () -> {
          if (--left[0] <= 0) {
            then.run();
          }
        };
    if (others.isEmpty()) {
      then.run();
    }
    for (Backend other : others) {
      other.ask(
          sql.apply(other),
          session.planner().charset(),
          Answer.of(
              (tag, error, status) -> {
                if (error != null) {
                  refused.accept(other, error);
                }
                one.run();
              },
              one));
    }
  }

  /** Servers learn statements when they need them, so that each forgets what it has. */
  private void deallocate(Segment segment, String name) {
    if (!session.planner().remove(name)) {
      run.sender().send(set.homeOrLeader(), segment, run::ended);
      return;
    }
    for (Backend backend : set.live()) {
      if (backend.prepared().remove(name) != null) {
        backend.ask("DEALLOCATE " + Quoting.name(name), session.failover().unfailing(backend));
      }
    }
    answer(segment, "DEALLOCATE");
  }

  /** No server answers in between: many in one go are not to nest. */
  private void answer(Segment segment, String tag) {
    run.output().answer(segment, tag);
    session.execute(run::next);
  }
}
