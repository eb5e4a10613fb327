package io.mgtm.bench.query;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PgbenchTest {
  private static final String SAID =
      """
      number of transactions actually processed: 4711
      number of failed transactions: 2 (0.042%)
      latency average = 1.699 ms
      tps = 4709.512345 (without initial connection time)
      """;

  @Test
  void figuresAreReadFromWhatItSays() throws Exception {
    assertThat(Pgbench.number(SAID, "tps = ")).isEqualTo(4709.512345);
    assertThat(Pgbench.number(SAID, "number of failed transactions: ")).isEqualTo(2);
    assertThatThrownBy(() -> Pgbench.number("nothing", "tps = "))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("nothing");
  }

  @Test
  void timesOfTransactionsAreReadFromItsLog() {
    assertThat(
            Pgbench.milliseconds(
                Stream.of(
                    "0 1 1500 0 1700000000 1", "3 2 failed 0 1700000000 2", "1 1 20 0 1 3 1")))
        .containsExactly(1.5, 0.02);
  }
}
