package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Forces the log on a thread of its own: one force covers all that was asked for before it began.
 */
public final class BackgroundSync {
  private final Runnable force;
  private final Executor syncThread;
  private final Runnable synced;
  private final Consumer<LogException> failed;
  private final AtomicBoolean asked = new AtomicBoolean();

  /**
   * A force that tells its end.
   *
   * @param synced called by the thread that forced, after each force; {@code failed} after a failed
   *     one
   */
  public BackgroundSync(
      LogStore store, Executor syncThread, Runnable synced, Consumer<LogException> failed) {
    this((Runnable) store::force, syncThread, synced, failed);
  }

  BackgroundSync(
      Runnable force, Executor syncThread, Runnable synced, Consumer<LogException> failed) {
    this.force = force;
    this.syncThread = syncThread;
    this.synced = synced;
    this.failed = failed;
  }

  /**
   * Owner thread. Both sides exchange the flag rather than test it: who finds it set may rely on
   * the sync thread to see what was appended before.
   */
  public void ask() {
    if (!asked.getAndSet(true)) {
      syncThread.execute(
          () -> {
            // Cleared first: what is appended from here on asks for another force.
            asked.getAndSet(false);
            force();
          });
    }
  }

  /**
   * Forces what was appended before. Any storage thread.
   *
   * @return whether it went well
   */
  public boolean force() {
    try {
      force.run();
      synced.run();
      return true;
    } catch (LogException e) {
      failed.accept(e);
    } catch (RuntimeException | InternalError e) {
      failed.accept(new LogException(Category.IO, "Forcing the log failed: " + e, e));
    }
    return false;
  }
}
