package io.mgtm.bench.failover;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.failover.Pauses.Figures;
import io.mgtm.bench.failover.Pauses.Row;
import io.mgtm.bench.load.MixedLoad;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Figures of rounds, and how they are printed. */
class PausesTest {
  private static final long MS = 1_000_000;

  private static Figures of(long... waitsMs) {
    Pauses pauses = new Pauses();
    for (long ms : waitsMs) {
      pauses.add(ms * MS);
    }
    return pauses.figures(FaultKind.KILL);
  }

  @Test
  void roundCountsItsLongestWait() {
    Pauses pauses = new Pauses();
    pauses.add(3 * MS, 90 * MS, 7 * MS);
    assertThat(pauses.lastMs()).isEqualTo(90);
    assertThat(pauses.figures(FaultKind.KILL).waitsMs()).containsExactly(90.0);
  }

  @Test
  void percentilesAreWaitsThatWereSeen() {
    Figures figures = of(IntStream.rangeClosed(1, 200).mapToLong(i -> 201 - i).toArray());
    assertThat(figures.rounds()).isEqualTo(200);
    assertThat(figures.medianMs()).isEqualTo(100);
    assertThat(figures.p90Ms()).isEqualTo(180);
    assertThat(figures.p99Ms()).isEqualTo(198);
    assertThat(figures.longestMs()).isEqualTo(200);
  }

  @Test
  void oneOfFewRoundsIsThe99thPercentile() {
    assertThat(of(5, 900, 7).p99Ms()).isEqualTo(900);
    assertThat(of(4).medianMs()).isEqualTo(4);
  }

  @Test
  void histogramCountsRoundsAndClients() {
    Pauses pauses = new Pauses();
    pauses.add(60 * MS, 100 * MS);
    pauses.add(101 * MS, 250 * MS);
    assertThat(pauses.figures(FaultKind.KILL).histogram())
        .containsExactly(
            new Row(50, 100, 1, 2),
            new Row(100, 150, 0, 1),
            new Row(150, 200, 0, 0),
            new Row(200, 300, 1, 1));
  }

  @Test
  void lastRowHasNoEnd() {
    assertThat(of(5_000, 5_001).histogram())
        .containsExactly(new Row(2_000, 5_000, 1, 1), new Row(5_000, 0, 1, 1));
  }

  private static FailoverReport report() {
    return new FailoverReport("fifo", 3, 8, List.of(), List.of(), 0, 0, 0);
  }

  @Test
  void rowFitsTheHead() {
    String row = FailoverReport.row("fifo", 3, of(100, 200));
    assertThat(row).isEqualTo("| fifo | 3 | leader killed | 2 | 100 | 200 | 200 | 200 |");
    assertThat(FailoverReport.HEAD.lines())
        .allMatch(line -> line.chars().filter(c -> c == '|').count() == 9);
    assertThat(FailoverReport.histogram(of(6_000)))
        .isEqualTo("| leader killed, ms | rounds | clients |\n|---|--:|--:|\n| > 5000 | 1 | 1 |");
  }

  @Test
  void reportIsCleanWhileEveryLoadIs() {
    FailoverReport clean = report().with(List.of(of(1)), load(0, 0));
    assertThat(report().clean()).as("without load").isFalse();
    assertThat(clean.clean()).isTrue();
    assertThat(clean.with(List.of(), load(1, 0)).clean()).isFalse();
    assertThat(clean.with(List.of(), load(0, 1)).clean()).isFalse();
    assertThat(clean.with(List.of(of(2)), load(0, 0)).kinds()).hasSize(2);
  }

  private static MixedLoad.Result load(long errors, long findings) {
    return new MixedLoad.Result(10, errors, List.of(), findings, List.of());
  }
}
