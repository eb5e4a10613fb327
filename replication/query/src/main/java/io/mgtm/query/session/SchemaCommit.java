package io.mgtm.query.session;

import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.wire.ErrorFields;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * What a COMMIT that changes the schema waits for, and what others wait for meanwhile. Belongs to a
 * session.
 */
final class SchemaCommit {
  /** For statements that have begun while it waited for longer ones, in milliseconds. */
  private static final int SHORT_MS = 1_000;

  private static final ErrorFields LATE =
      ErrorFields.error("55P03", "a function is not made while other statements run")
          .withHint("Repeat it when long statements have ended.");

  private final ReplicatedSession session;
  private CompletableFuture<Catalogues.Known> change;

  SchemaCommit(ReplicatedSession session) {
    this.session = session;
  }

  /**
   * Begins it.
   *
   * @param then called when nobody runs by the former schema what this may change
   * @param refused told why it cannot be had
   */
  void begin(Runnable then, Consumer<ErrorFields> refused) {
    if (!session.schema().isCallable()) {
      if (session.schema().isChanged()) {
        change();
      }
      then.run();
      return;
    }
    // All but who has begun meanwhile need not be kept waiting for the one that takes long.
    int longMs = session.shared().config().timeouts().applyMs();
    Runnable changed =
        () -> {
          change();
          awaitRunning(Math.min(longMs, SHORT_MS), then, refused);
        };
    awaitRunning(longMs, changed, refused);
  }

  /** Statements of others that are not classified yet wait from now on. */
  private void change() {
    change = session.shared().catalogues().change(session.schema().database());
  }

  /**
   * Waits until what others run by the former schema has ended: it could come to call what this
   * makes, and is not looked at.
   */
  private void awaitRunning(int withinMs, Runnable then, Consumer<ErrorFields> refused) {
    session
        .shared()
        .sessions()
        .runningEnds(session.schema().database(), session)
        .orTimeout(withinMs, TimeUnit.MILLISECONDS)
        .whenComplete(
            (nothing, late) ->
                session.execute(
                    () -> {
                      if (late == null || session.isEnded()) {
                        then.run();
                      } else {
                        refused.accept(LATE);
                      }
                    }));
  }

  /** It is over; others go on with what has come of it. */
  void end() {
    if (change != null) {
      session.shared().catalogues().changed(session.schema().database(), change);
      change = null;
    }
  }
}
