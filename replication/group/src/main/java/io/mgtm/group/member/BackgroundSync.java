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
final class BackgroundSync {
  private final LogStore store;
  private final Executor syncThread;
  private final Runnable synced;
  private final Consumer<LogException> failed;
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * A force that tells its end.
   *
   * @param synced called on the force thread after each force, {@code failed} after a failed one
   */
  BackgroundSync(
      LogStore store, Executor syncThread, Runnable synced, Consumer<LogException> failed) {
    this.store = store;
    this.syncThread = syncThread;
    this.synced = synced;
    this.failed = failed;
  }

  /** Owner thread. */
  void ask() {
    if (!asked.getAndSet(true)) {
      syncThread.execute(this::force);
    }
  }

  private void force() {
    // Cleared first: what is appended from here on asks for another force.
    asked.getAndSet(false);
    try {
      store.force();
      synced.run();
    } catch (LogException e) {
      failed.accept(e);
    } catch (RuntimeException | InternalError e) {
      failed.accept(new LogException(Category.IO, "Forcing the log failed: " + e, e));
    }
  }
}
