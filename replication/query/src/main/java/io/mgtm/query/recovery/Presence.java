package io.mgtm.query.recovery;

import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Whether a server is there. A connection may be dead by itself: where nothing comes over the one
 * by which the server is watched, a new one is tried for the second half of the time. On one event
 * loop.
 */
final class Presence {
  private Presence() {}

  /** What is wrong with a server that does not answer. */
  static String silent(int silentMs) {
    return "it did not answer within " + silentMs + " ms";
  }

  /**
   * Completes with what is wrong with a server, or null when it is there; never exceptionally.
   * While this loop is not held up itself, that is after {@code silentMs} at the latest.
   *
   * @param answer over the connection by which it is watched: what is wrong, or null; never
   *     exceptional
   * @param again asks over a new one in the same way
   */
  static CompletableFuture<String> of(
      EventLoop loop,
      int silentMs,
      CompletableFuture<String> answer,
      Supplier<CompletableFuture<String>> again) {
    int half = silentMs / 2;
    CompletableFuture<String> found = new CompletableFuture<>();
    CompletableFuture<Void> doubted = new CompletableFuture<>();
    answer.thenAccept(wrong -> (wrong == null ? found : doubted).complete(null));
    at(loop, half, found, () -> doubted.complete(null));
    doubted.thenRun(
        () -> {
          again.get().thenAccept(found::complete);
          at(loop, silentMs - half, found, () -> found.complete(silent(silentMs)));
        });
    return found;
  }

  private static void at(EventLoop loop, int ms, CompletableFuture<?> unless, Runnable task) {
    var timer = loop.schedule(task, ms, TimeUnit.MILLISECONDS);
    unless.thenRun(() -> timer.cancel(false));
  }
}
