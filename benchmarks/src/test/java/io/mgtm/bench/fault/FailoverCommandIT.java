package io.mgtm.bench.fault;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.BenchMain;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code mgtm bench failover}, with a group of processes. */
@Tag("long")
class FailoverCommandIT {
  @TempDir Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    CommandLine line = BenchMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(args);
  }

  @Test
  void everyKindHasItsFigures() throws IOException {
    int status =
        run(
            "failover",
            "--rounds=1",
            "--kinds=kill,transfer",
            "--connections=2",
            "--rest=0",
            "--jvm=" + String.join(",", GroupUnderLoad.jvmOptions()),
            "--data=" + folder,
            "--json");
    assertThat(status).as(err.toString()).isZero();
    JsonNode report = new ObjectMapper().readTree(out.toString());
    assertThat(report.get("kinds").findValuesAsText("kind"))
        .containsExactly("KILL", "TRANSFER", "NONE");
    assertThat(report.get("kinds").findValuesAsText("rounds")).startsWith("1");
    assertThat(report.at("/kinds/0/medianMs").asDouble()).isPositive();
    assertThat(report.get("errors").asLong()).isZero();
  }
}
