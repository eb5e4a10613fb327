package io.mgtm.query.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.local.LocalPostgres;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What somebody sees who tries it out. */
class DemoIT {
  @TempDir private Path folder;

  private final StringWriter text = new StringWriter();

  private int run(String... arguments) {
    CommandLine line = QueryMain.commandLine();
    line.setOut(new PrintWriter(text));
    line.setErr(new PrintWriter(text));
    return line.execute(arguments);
  }

  @Test
  @Tag("long")
  void aServerDiesComesBackAndNoRowDiffers() {
    try {
      LocalPostgres.installed();
    } catch (IOException e) {
      Assumptions.abort(e.getMessage());
    }
    int status = run("demo", "--clients", "4", "--data", folder.toString());
    assertThat(text.toString())
        .contains(
            "killed all processes of",
            "comes back by itself",
            "is back",
            "2 servers compared, 0 rows different")
        .containsPattern("failed +0\\R")
        .containsPattern("out +0 .* (cannot connect|the connection .* broke)");
    assertThat(status).isZero();
  }

  @Test
  void whatIsWrongIsToldInOneLine() {
    assertThat(run("demo", "--clients", "0")).isOne();
    assertThat(run("demo", "--programs", folder.toString(), "--data", folder.toString())).isOne();
    assertThat(text.toString().lines())
        .satisfiesExactly(
            line -> assertThat(line).startsWith("mgtm: --clients: expected 1 to 50"),
            line -> assertThat(line).startsWith("Starting 2 PostgreSQL servers"),
            line -> assertThat(line).startsWith("mgtm: ").contains("initdb"));
  }
}
