package io.mgtm.query.session;

import java.util.function.Consumer;

/**
 * What becomes of a commit that stands in the log, and that the last server is not known to have:
 * no other can tell. Belongs to a session.
 */
final class LastServer {
  private final ReplicatedSession session;
  private final long number;

  /** One with the number of its entry. */
  LastServer(ReplicatedSession session, long number) {
    this.session = session;
    this.number = number;
  }

  /** It is asked once it answers; the slot is kept until then. */
  void resolve(Backend leader) {
    session.slot().keep();
    session
        .shared()
        .positions()
        .unknown()
        .resolve(
            leader.node(),
            session.schema().database(),
            session.slot().number(),
            number,
            leader.connection().pid());
  }

  /**
   * It has not committed, and no other has: the log is to say so, as a start would else redo it.
   *
   * @param dropped called when it does
   * @param unknown told why it does not yet
   */
  void drop(Runnable dropped, Consumer<String> unknown) {
    session
        .shared()
        .commits()
        .drop(number, session.slot().number())
        .whenComplete(
            (done, cause) ->
                session.execute(
                    () -> {
                      if (cause == null) {
                        dropped.run();
                      } else {
                        dropLater();
                        unknown.accept("the log of commits takes no more: " + cause.getMessage());
                      }
                    }));
  }

  private void dropLater() {
    session.slot().keep();
    session.shared().positions().unknown().nowhere(session.slot().number(), number);
  }
}
