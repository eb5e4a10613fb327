package io.mgtm.query.connection;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Stream;

/** Answers that are waited for, by somebody or together. Any thread. */
public final class Futures {
  /** Comparing all rows takes as long as it takes. */
  private static final int PATIENCE_HOURS = 24;

  private Futures() {}

  /** Completes when all have, and fails when one has. */
  public static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> each) {
    return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
  }

  /** The same with what they complete with. */
  public static <T> CompletableFuture<List<T>> results(List<CompletableFuture<T>> each) {
    return all(each.stream())
        .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
  }

  /** Asks each when the one before has answered. */
  public static <A, T> CompletableFuture<List<T>> inTurn(
      List<A> each, Function<A, CompletableFuture<T>> ask) {
    CompletableFuture<List<T>> answers = CompletableFuture.completedFuture(new ArrayList<>());
    for (A one : each) {
      answers =
          answers.thenCompose(
              before ->
                  ask.apply(one)
                      .thenApply(
                          answer -> {
                            before.add(answer);
                            return before;
                          }));
    }
    return answers;
  }

  /**
   * Waits for one.
   *
   * @throws IOException with why it failed
   */
  public static <T> T await(CompletableFuture<T> of) throws IOException {
    try {
      return of.get(PATIENCE_HOURS, TimeUnit.HOURS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException e) {
      throw new IOException(reason(e.getCause()), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("the servers were not compared in a day", e);
    }
  }

  /** The same, for so long at most; what is late has failed then. */
  public static <T> T await(CompletableFuture<T> of, int withinMs) throws IOException {
    return await(of.orTimeout(withinMs, TimeUnit.MILLISECONDS));
  }

  /** Why something could not be asked. */
  public static String reason(Throwable cause) {
    Throwable root =
        cause instanceof CompletionException && cause.getCause() != null ? cause.getCause() : cause;
    return root instanceof TimeoutException ? "it did not answer" : root.getMessage();
  }
}
