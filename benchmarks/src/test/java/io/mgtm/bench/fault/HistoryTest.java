package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.fault.History.Operation;
import java.util.List;
import org.junit.jupiter.api.Test;

class HistoryTest {
  private static Operation next(long answer, long asked, long answered) {
    return new Operation("next", null, answer, asked, answered);
  }

  private static Operation last(long answer, long asked, long answered) {
    return new Operation("last", null, answer, asked, answered);
  }

  private static Operation set(long to, long asked, long answered) {
    return new Operation("set", to, null, asked, answered);
  }

  @Test
  void whatOneClientSeesAfterAnotherIsExplained() {
    assertThat(
            new History(
                    List.of(
                        List.of(next(1, 0, 10), next(2, 20, 30)),
                        List.of(last(2, 40, 50), set(9, 60, 70), next(10, 80, 90))))
                .isLinearizable())
        .isTrue();
  }

  @Test
  void concurrentRequestsMayComeInAnyOrder() {
    assertThat(
            new History(List.of(List.of(next(2, 0, 100)), List.of(next(1, 50, 120))))
                .isLinearizable())
        .isTrue();
  }

  @Test
  void aValueTwiceIsFound() {
    assertThat(
            new History(List.of(List.of(next(1, 0, 10)), List.of(next(1, 20, 30))))
                .isLinearizable())
        .isFalse();
  }

  @Test
  void aReadOfThePastIsFound() {
    assertThat(
            new History(List.of(List.of(next(1, 0, 10), next(2, 20, 30)), List.of(last(1, 40, 50))))
                .isLinearizable())
        .isFalse();
  }

  @Test
  void aLostWriteIsFound() {
    assertThat(
            new History(List.of(List.of(set(7, 0, 10)), List.of(next(1, 20, 30)))).isLinearizable())
        .isFalse();
  }
}
