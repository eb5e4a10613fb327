package io.mgtm.query.session;

import io.mgtm.query.catalogue.Catalogues;
import io.mgtm.query.wire.ErrorFields;
import java.util.HashMap;
import java.util.Map;
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

  private static final ErrorFields BEHIND =
      ErrorFields.error("55P03", "another server is behind with what was written before")
          .withHint("Repeat it.");

  private final ReplicatedSession session;
  private final Map<String, CompletableFuture<Catalogues.Known>> changes = new HashMap<>();

  SchemaCommit(ReplicatedSession session) {
    this.session = session;
  }

  /**
   * Begins it.
   *
   * @param then called when nobody runs by the former schema what this may change, and no server is
   *     behind with what was written by it: a privilege may be revoked that this needs
   * @param refused told why it cannot be had
   */
  void begin(Runnable then, Consumer<ErrorFields> refused) {
    int longMs = session.shared().config().timeouts().applyMs();
    Runnable follow = () -> await(sessions().othersFollow(session), longMs, then, refused, BEHIND);
    if (session.schema().isCallable()) {
      // All but who has begun meanwhile need not be kept waiting for the one that takes long.
      Runnable changed =
          () -> {
            change();
            await(runningEnds(), Math.min(longMs, SHORT_MS), follow, refused, LATE);
          };
      await(runningEnds(), longMs, changed, refused, LATE);
    } else if (session.schema().isChanged()) {
      change();
      follow.run();
    } else {
      then.run();
    }
  }

  private Sessions sessions() {
    return session.shared().sessions();
  }

  /** Statements of others that are not classified yet wait from now on. */
  private void change() {
    Catalogues catalogues = session.shared().catalogues();
    session.schema().changedIn().forEach(one -> changes.put(one, catalogues.change(one)));
  }

  /**
   * What others run by the former schema has ended: it could come to call what this makes, and is
   * not looked at.
   */
  private CompletableFuture<Void> runningEnds() {
    return sessions().runningEnds(session.schema().database(), session);
  }

  /** The session may have ended, or have lost its leader, then. */
  private void await(
      CompletableFuture<Void> until,
      int withinMs,
      Runnable then,
      Consumer<ErrorFields> refused,
      ErrorFields late) {
    until
        .orTimeout(withinMs, TimeUnit.MILLISECONDS)
        .whenComplete(
            (nothing, timeout) ->
                session.execute(
                    () -> {
                      if (timeout == null || session.isEnded()) {
                        then.run();
                      } else {
                        refused.accept(late);
                      }
                    }));
  }

  /** It is over; others go on with what has come of it. */
  void end() {
    changes.forEach(session.shared().catalogues()::changed);
    changes.clear();
  }
}
