package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.storage.LogStore;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Forces the log on a thread of its own: one force covers all that was asked for before it began.
 */
final class BackgroundForce {
  private final LogStore store;
  private final Executor forceThread;
  private final Runnable forced;
  private final Consumer<LogException> failed;
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * A force that tells its end.
   *
   * @param forced called on the force thread after each force, {@code failed} after a failed one
   */
  BackgroundForce(
      LogStore store, Executor forceThread, Runnable forced, Consumer<LogException> failed) {
    this.store = store;
    this.forceThread = forceThread;
    this.forced = forced;
    this.failed = failed;
  }

  /** Owner thread. */
  void ask() {
    if (!asked.getAndSet(true)) {
      forceThread.execute(this::force);
    }
  }

  private void force() {
    // Cleared first: what is appended from here on asks for another force.
    asked.getAndSet(false);
    try {
      store.force();
      forced.run();
    } catch (LogException e) {
      failed.accept(e);
    } catch (RuntimeException | InternalError e) {
      failed.accept(new LogException(Category.IO, "Forcing the log failed: " + e, e));
    }
  }
}
