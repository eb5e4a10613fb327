package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.wire.ErrorFields;
import java.util.function.Consumer;

/**
 * Whether the open transaction can be prepared for a client: every server must be able to take it
 * up from the log, and to keep with its locks what the client relies on, though another comes to
 * lead meanwhile. Belongs to a session.
 */
final class Preparing {
  private static final String QUESTION = "SELECT current_user";

  private final ReplicatedSession session;
  private final Backend leader;

  Preparing(ReplicatedSession session, Backend leader) {
    this.session = session;
    this.leader = leader;
  }

  /**
   * Looks.
   *
   * @param then told the role that may end it
   * @param refused told why it cannot be
   * @param lost called when the leader is gone
   */
  void look(
      boolean serializable, Consumer<String> then, Consumer<ErrorFields> refused, Runnable lost) {
    ErrorFields why = whyNot(serializable);
    if (why != null) {
      refused.accept(why);
      return;
    }
    session
        .shared()
        .commits()
        .prepared()
        .hasRoom()
        .thenAccept(
            room ->
                session.execute(
                    () -> {
                      if (room || session.isEnded()) {
                        askOwner(then, refused, lost);
                      } else {
                        refused.accept(
                            ErrorFields.error("54000", "too much is prepared already")
                                .withHint(
                                    "COMMIT PREPARED or ROLLBACK PREPARED what is in"
                                        + " pg_prepared_xacts."));
                      }
                    }));
  }

  private void askOwner(Consumer<String> then, Consumer<ErrorFields> refused, Runnable lost) {
    leader.hold(true);
    leader.ask(
        QUESTION,
        Answer.row(
            (row, error) -> {
              if (error == null) {
                coverSequences(() -> then.accept(row.get(0)), refused);
              } else {
                refused.accept(error);
              }
            },
            lost));
  }

  /** Its rows are not seen by who sets sequences behind them. */
  private void coverSequences(Runnable then, Consumer<ErrorFields> refused) {
    session
        .shared()
        .sequences()
        .coverDrawn(leader.node(), session.schema().database(), leader.connection().pid())
        .whenComplete(
            (nothing, cause) ->
                session.execute(
                    () -> {
                      if (cause == null || session.isEnded()) {
                        then.run();
                      } else {
                        refused.accept(SequenceDraws.notSet(cause));
                      }
                    }));
  }

  private ErrorFields whyNot(boolean serializable) {
    Redo redo = session.set().redo();
    if (serializable) {
      return not(
          "at isolation level SERIALIZABLE, as the leader alone knows what it has read",
          "Use REPEATABLE READ.");
    }
    if (session.set().isReadOnly()) {
      return not("that began as READ ONLY", "Use COMMIT.");
    }
    if (session.schema().isChanged()) {
      return not("that has changed the schema", "Use COMMIT.");
    }
    if (redo.isLocking()) {
      return not(
          "that has done what is the leader's alone: FOR UPDATE or SHARE, LOCK, advisory locks,"
              + " NOTIFY, what functions or triggers write",
          "Lock rows by UPDATE, or use COMMIT.");
    }
    return redo.isTooMany()
        ? ErrorFields.error("54000", "a transaction of more than 4 MiB of effects is not prepared")
            .withHint("Write less in it, or use COMMIT.")
        : null;
  }

  private static ErrorFields not(String what, String hint) {
    return ErrorFields.error("0A000", "a transaction is not prepared " + what).withHint(hint);
  }
}
