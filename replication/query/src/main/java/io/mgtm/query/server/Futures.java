package io.mgtm.query.server;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/** Several answers that come together. Any thread. */
final class Futures {
  private Futures() {}

  /** Completes when all have, and fails when one has. */
  static CompletableFuture<Void> all(Stream<? extends CompletableFuture<?>> each) {
    return CompletableFuture.allOf(each.toArray(CompletableFuture[]::new));
  }

  /** The same with what they complete with. */
  static <T> CompletableFuture<List<T>> results(List<CompletableFuture<T>> each) {
    return all(each.stream())
        .thenApply(done -> each.stream().map(CompletableFuture::join).toList());
  }
}
