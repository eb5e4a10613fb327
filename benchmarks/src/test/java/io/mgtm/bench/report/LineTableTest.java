package io.mgtm.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class LineTableTest {
  @Test
  void aRowHasBothFiguresAndTheirRatio() {
    StringWriter text = new StringWriter();
    LineTable table = new LineTable(new PrintWriter(text));
    table.begin("delay 15ms");
    table.row("requests", "/s", 4_000, 33.25);
    table.row("replica behind", "KiB", 0, 8);
    assertThat(text.toString().lines())
        .containsExactly(
            "| delay 15ms | | without the line | over it | ratio |",
            "|---|---|--:|--:|--:|",
            "| requests | /s | 4,000 | 33.3 | **0.01** |",
            "| replica behind | KiB | 0.0 | 8.0 | |");
  }
}
