package io.mgtm.query.server;

import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.Token;
import io.mgtm.query.sql.TransactionCommand;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.Locale;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/** Runs the commands that are about transactions and settings. Belongs to a session. */
final class Controls {
  private final ReplicatedSession session;
  private final ServerSet set;
  private final UnitRun run;

  Controls(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.set = session.set();
    this.run = run;
  }

  void control(Segment segment) {
    TransactionCommand command = segment.control();
    switch (command.verb()) {
      case BEGIN -> begin(segment, command);
      case COMMIT -> {
        if (set.status() == 'T') {
          Commit commit = commit(segment);
          run.setCommit(commit);
          commit.start();
        } else {
          endAtHome(segment);
        }
      }
      case ROLLBACK -> endAtHome(segment);
      default -> savepoint(segment, command);
    }
  }

  private void begin(Segment segment, TransactionCommand command) {
    Backend home = set.home();
    if (home != null) {
      set.unwrap();
      run.sender().send(home, segment, run::ended);
      return;
    }
    Backend reader = command.readOnly() ? set.reader() : null;
    Backend at = reader == null || set.isFar(reader) ? set.chosen() : reader;
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (status != 'I') {
                set.begin(at, false);
                if (command.readOnly()) {
                  set.beginReadOnly();
                }
              }
              run.ended(relay, status);
            });
  }

  private void endAtHome(Segment segment) {
    set.rollbackOthers();
    Backend at = set.home() == null ? set.chosen() : set.home();
    run.sender().send(at, segment, run::ended);
  }

  private void savepoint(Segment segment, TransactionCommand command) {
    Backend at = set.home() == null ? set.chosen() : set.home();
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (relay.error() == null && set.home() != null) {
                set.tellWritten(segment.command().statement().text());
                keep(command);
              }
              run.ended(relay, status);
            });
  }

  private void keep(TransactionCommand command) {
    switch (command.verb()) {
      case SAVEPOINT -> set.savepoint(command.savepoint());
      case RELEASE -> set.release(command.savepoint());
      default -> {
        set.undoTo(command.savepoint());
        session.schema().undone();
      }
    }
  }

  /**
   * Commits the open transaction everywhere.
   *
   * @param segment the client's COMMIT, or null for the end of the replicator's own transaction
   */
  Commit commit(Segment segment) {
    return new Commit(set, session, new Committing(segment));
  }

  /** Answers the client. */
  private final class Committing implements Commit.Result {
    private final Segment segment;

    Committing(Segment segment) {
      this.segment = segment;
    }

    @Override
    public void committed() {
      run.setCommit(null);
      set.setStatus('I');
      if (segment == null) {
        run.complete();
      } else {
        synthesize(segment, "COMMIT");
        run.next();
      }
    }

    @Override
    public void notCommitted(ErrorFields why) {
      run.setCommit(null);
      set.setStatus('I');
      set.rollbackOthers();
      refuseCommit(segment, why);
    }

    @Override
    public void unknown(String why) {
      run.setCommit(null);
      session.end(ErrorFields.fatal("57P01", why));
    }

    @Override
    public void refused(ErrorFields why) {
      run.setCommit(null);
      rollBack(segment, why);
    }

    @Override
    public void cameBack() {
      run.setCommit(null);
      if (segment != null || !run.repeat()) {
        rollBack(
            segment,
            ErrorFields.error("40001", "a server came back while the transaction ran")
                .withHint("Repeat the transaction."));
      }
    }

    @Override
    public void leaderLost() {
      run.setCommit(null);
      if (segment == null) {
        run.lost(set.home());
      } else {
        rollBack(segment, set.home().node().moved());
      }
    }
  }

  /** A COMMIT that fails ends the transaction nevertheless, as PostgreSQL does it. */
  void rollBack(Segment segment, ErrorFields why) {
    Runnable refuse =
        () -> {
          set.setStatus('I');
          refuseCommit(segment, why);
        };
    Backend home = set.home();
    set.rollbackOthers();
    home.ask("ROLLBACK", Answer.of((tag, error, status) -> refuse.run(), refuse));
  }

  private void refuseCommit(Segment segment, ErrorFields why) {
    synthesize(segment, Messages.error(session.alloc(), why));
    run.commitRefused();
  }

  private void synthesize(Segment segment, String tag) {
    synthesize(segment, Messages.commandComplete(session.alloc(), tag));
  }

  /** What a server would answer to a command that has run, or was refused, by its last message. */
  private void synthesize(Segment segment, ByteBuf last) {
    if (segment == null || segment.simple() != null) {
      run.forward(last);
      return;
    }
    for (Step step : segment.steps()) {
      switch (step.type()) {
        case 'P' -> run.forward(Messages.empty(session.alloc(), '1'));
        case 'B' -> run.forward(Messages.empty(session.alloc(), '2'));
        case 'C' -> run.forward(Messages.empty(session.alloc(), '3'));
        case 'D' -> {
          if (!step.isOfPortal()) {
            run.forward(Messages.noParameters(session.alloc()));
          }
          run.forward(Messages.empty(session.alloc(), 'n'));
        }
        default -> run.forward(last);
      }
    }
  }

  /** {@code SET a.b = …} is of a setting that servers do not list. */
  private void customSetting(Statement statement) {
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
    Backend at = home == null ? set.chosen() : home;
    run.sender()
        .send(
            at,
            segment,
            (relay, status) -> {
              if (relay.error() == null && !leaderOnly) {
                customSetting(statement);
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
    Backend at = set.home() == null ? set.chosen() : set.home();
    return at.node().kind().knows(name) ? name : null;
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
      run.sender().send(set.home() == null ? set.chosen() : set.home(), segment, run::ended);
      return;
    }
    for (Backend backend : set.live()) {
      if (backend.prepared().remove(name) != null) {
        backend.ask("DEALLOCATE " + ServerSet.quote(name), session.unfailing(backend));
      }
    }
    synthesize(segment, "DEALLOCATE");
    run.next();
  }
}
