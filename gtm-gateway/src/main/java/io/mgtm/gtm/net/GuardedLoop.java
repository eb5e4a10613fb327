package io.mgtm.gtm.net;

import io.netty.channel.IoEventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * An event loop that tells of whatever a task throws, an {@link Error} too. Netty's own goes on as
 * if nothing had happened, and no longer does a periodic task that failed: what is left is a
 * process that looks alive. Any thread may hand tasks over, as ever.
 */
final class GuardedLoop extends SingleThreadIoEventLoop {
  private final Consumer<Throwable> fatal;

  GuardedLoop(
      IoEventLoopGroup group,
      Executor threads,
      IoHandlerFactory handlers,
      Consumer<Throwable> fatal) {
    super(group, threads, handlers);
    this.fatal = fatal;
  }

  private Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        fatal.accept(e);
        throw e;
      }
    };
  }

  @Override
  public void execute(Runnable task) {
    super.execute(guarded(task));
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
    return super.schedule(guarded(task), delay, unit);
  }

  @Override
  public <V> ScheduledFuture<V> schedule(Callable<V> task, long delay, TimeUnit unit) {
    Callable<V> guarded =
        () -> {
          try {
            return task.call();
          } catch (Exception | Error e) {
            fatal.accept(e);
            throw e;
          }
        };
    return super.schedule(guarded, delay, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable task, long delay, long period, TimeUnit unit) {
    return super.scheduleAtFixedRate(guarded(task), delay, period, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable task, long delay, long between, TimeUnit unit) {
    return super.scheduleWithFixedDelay(guarded(task), delay, between, unit);
  }
}
