package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.Token;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Runs the commands that write no rows, and that each server runs for itself: those about settings
 * and prepared statements, and maintenance. Belongs to a session.
 */
final class UtilityCommands {
  private final ReplicatedSession session;
  private final ServerSet set;
  private final UnitRun run;

  UtilityCommands(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.set = session.set();
    this.run = run;
  }

  /** {@code SET a.b = …} is of a setting that servers do not list. */
  private void noteSet(Statement statement) {
    set.timeouts().maySet();
    int at = statement.word(1).equals("session") || statement.word(1).equals("local") ? 2 : 1;
    StringBuilder name = new StringBuilder(statement.word(at));
    List<Token> tokens = statement.tokens();
    for (int i = at + 1; i + 1 < tokens.size() && tokens.get(i).text().equals("."); i += 2) {
      name.append('.').append(statement.word(i + 1));
    }
    if (name.indexOf(".") > 0 && statement.word(0).equals("set")) {
      session.settings().custom(name.toString());
    }
  }

  /** A setting holds at all servers; in a transaction it ends with it at all. */
  void setting(Segment segment) {
    Statement statement = segment.command().statement();
    boolean deallocate = statement.word(0).equals("deallocate");
    boolean all = statement.endsWith("all");
    if (deallocate && !all) {
      deallocate(segment, statement.word(statement.word(1).equals("prepare") ? 2 : 1));
      return;
    }
    boolean readOnly =
        (statement.has("only") && !statement.has("characteristics"))
            || statement.has("transaction_read_only");
    if (readOnly && !set.redo().isEmpty()) {
      run.fail(
          ErrorFields.error("0A000", "a transaction that has written cannot be made READ ONLY")
              .withHint("The leader notes in the transaction that it commits."));
      return;
    }
    if (set.isReadOnly() && mayWriteAgain(statement)) {
      run.fail(
          ErrorFields.error("0A000", "a transaction that began as READ ONLY stays so")
              .withHint("It may run at another server than the leader. Use BEGIN."));
      return;
    }
    String setting = listed(statement);
    boolean leaderOnly = statement.word(1).equals("transaction") && !statement.has("session");
    Backend home = set.home();
    Backend at = set.homeOrLeader();
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (relay.error() == null && !leaderOnly) {
                noteSet(statement);
                boolean discard = all && statement.word(0).equals("discard");
                if (deallocate || discard) {
                  session.forgetStatements();
                }
                if (discard) {
                  set.keepAt(null);
                }
                if (home == null) {
                  everywhere(
                      at,
                      statement.text(),
                      b -> setting == null || b.node().kind().knows(setting),
                      this::endSession,
                      () -> run.ended(relay, status));
                  return;
                }
                if (statement.word(1).equals("constraints")) {
                  relay.effects().text(segment.command(), relay.tag());
                } else {
                  relay.effects().setting(segment.command(), relay.tag(), setting);
                }
                relay.effects().withoutTimeouts();
              }
              run.ended(relay, status);
            });
  }

  /**
   * The setting that a command is about, where the session's server lists it: one of another
   * version may not know it, and does without. Null for what has no name of its own, as a role has.
   */
  private String listed(Statement statement) {
    boolean scope = statement.word(1).equals("session") || statement.word(1).equals("local");
    String name = statement.word(scope ? 2 : 1).toLowerCase(Locale.ROOT);
    return set.homeOrLeader().node().kind().knows(name) ? name : null;
  }

  private static boolean mayWriteAgain(Statement statement) {
    return statement.word(0).equals("reset")
        ? statement.has("transaction_read_only")
        : statement.has("write") && !statement.has("characteristics");
  }

  private void endSession(Backend at, ErrorFields refused) {
    session.end(
        ErrorFields.fatal(
            refused.sqlState(), "the server at " + at.node() + " refused: " + refused.message()));
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
                    leader,
                    statement.text(),
                    b -> true,
                    this::warn,
                    () -> run.ended(relay, status));
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

  private void everywhere(
      Backend but,
      String sql,
      Predicate<Backend> where,
      BiConsumer<Backend, ErrorFields> refused,
      Runnable then) {
    List<Backend> others = set.live().stream().filter(b -> b != but).filter(where).toList();
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
          sql,
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
    run.output().answer(segment, "DEALLOCATE");
    session.execute(run::next); // No server answers in between: many in one go are not to nest.
  }
}
