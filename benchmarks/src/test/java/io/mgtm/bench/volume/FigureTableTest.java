package io.mgtm.bench.volume;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.volume.FigureTable.Column;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

class FigureTableTest {

  @Test
  void aRowShowsTheMediansOfItsRounds() {
    Rounds rounds = new Rounds();
    rounds.add("volume", new Fio.Figures(30_000, 10.4, 99));
    rounds.add("qemu", new Fio.Figures(20_000, 30, 300));
    rounds.add("volume", new Fio.Figures(10_000, 9.6, 101));
    rounds.add("qemu", new Fio.Figures(16_000, 20, 200));
    StringWriter text = new StringWriter();
    FigureTable table =
        new FigureTable(
            new PrintWriter(text),
            List.of(
                Column.perSecond("volume", "volume"),
                Column.perSecond("qemu-storage-daemon", "qemu"),
                Column.ratio("to qemu", "volume", "qemu"),
                Column.p50("volume"),
                Column.p99("qemu")));
    table.begin("4 KiB at random");
    table.row("randread", 32, rounds);
    table.end();
    assertThat(text.toString().lines())
        .containsExactly(
            "| 4 KiB at random | depth | volume /s | qemu-storage-daemon /s | to qemu"
                + " | volume p50 µs | qemu p99 µs |",
            "|---|--:|--:|--:|--:|--:|--:|",
            "| randread | 32 | 20,000 | 18,000 | **1.11** | 10 | 250 |",
            "");
  }
}
