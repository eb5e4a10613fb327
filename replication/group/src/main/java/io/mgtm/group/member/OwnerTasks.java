package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner thread does for a member's log. It does nothing more once the log is closed, or
 * has failed; what a task throws is such a failure. Owner thread, unless a method says otherwise.
 */
public final class OwnerTasks {
  private static final Logger log = LoggerFactory.getLogger(OwnerTasks.class);

  private final String member;
  private final Executor owner;
  private final Consumer<LogException> failed;
  private volatile boolean closed;
  private volatile LogException failure;
  private volatile LogException reported;

  /**
   * The tasks of a log that is open.
   *
   * @param member as failures name it
   * @param failed told of the first failure, and of no other
   */
  public OwnerTasks(String member, Executor owner, Consumer<LogException> failed) {
    this.member = member;
    this.owner = owner;
    this.failed = failed;
  }

  /** Has the owner run a task, later. Any thread. */
  public void execute(Runnable task) {
    try {
      owner.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      log.debug("The thread that owns the log has stopped", e);
    }
  }

  /** Runs a task now. */
  public void run(Runnable task) {
    if (closed || failure != null) {
      return;
    }
    if (reported != null) {
      fail(reported);
      return;
    }
    try {
      task.run();
    } catch (LogException e) {
      fail(e);
    } catch (RuntimeException | Error e) {
      // An error too: whoever called would go on with a member that is changed by half.
      fail(new LogException(Category.IO, "Member " + member + " met a broken invariant: " + e, e));
    }
  }

  /**
   * The log can no longer keep its promise: tasks that wait already do nothing more. Any thread.
   */
  public void report(LogException cause) {
    reported = cause;
    execute(() -> {});
  }

  /** The log can no longer keep its promise. */
  public void fail(LogException cause) {
    if (failure == null) {
      failure = cause;
      log.error("Member {} stops: {}", member, cause.getMessage(), cause);
      failed.accept(cause);
    }
  }

  /** Whether the log has failed. Any thread. */
  public boolean isFailed() {
    return failure != null;
  }

  /** No task runs from now on. */
  public void close() {
    closed = true;
  }

  /** Whether the log is closed. Any thread. */
  public boolean isClosed() {
    return closed;
  }

  /**
   * For what a log that is not open cannot do.
   *
   * @throws IllegalStateException when it is closed
   * @throws LogException with the failure's category when it has failed
   */
  public void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the log is closed");
    }
    if (failure != null) {
      throw new LogException(failure.category(), failure.getMessage(), failure);
    }
  }
}
