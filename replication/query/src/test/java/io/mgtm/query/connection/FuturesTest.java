package io.mgtm.query.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class FuturesTest {
  @Test
  void theNextIsAskedWhenTheOneBeforeHasAnswered() {
    List<String> asked = new ArrayList<>();
    CompletableFuture<Integer> first = new CompletableFuture<>();
    CompletableFuture<Integer> second = new CompletableFuture<>();
    CompletableFuture<List<Integer>> all =
        Futures.inTurn(
            List.of("one", "two"),
            name -> {
              asked.add(name);
              return name.equals("one") ? first : second;
            });
    assertThat(asked).containsExactly("one");
    first.complete(1);
    assertThat(asked).containsExactly("one", "two");
    second.complete(2);
    assertThat(all).isCompletedWithValue(List.of(1, 2));
  }

  @Test
  void nobodyIsAskedAfterOneThatFails() {
    List<String> asked = new ArrayList<>();
    CompletableFuture<List<Integer>> all =
        Futures.inTurn(
            List.of("one", "two"),
            name -> {
              asked.add(name);
              return CompletableFuture.failedFuture(new IllegalStateException(name));
            });
    assertThat(all).isCompletedExceptionally();
    assertThat(asked).containsExactly("one");
  }
}
