package io.mgtm.bench;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.common.HostPort;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command line, against a GTM in this process. */
class BenchMainTest {
  @TempDir private static Path data;
  private static GtmServer server;
  private static String at;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    server = GtmServer.start(GtmConfig.at(data, new HostPort("127.0.0.1", 0)));
    at = "127.0.0.1:" + server.address().getPort();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private int run(String... args) {
    CommandLine line = BenchMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(args);
  }

  @Test
  void aRunIsPrintedAsJson() throws IOException {
    int status =
        run(
            "gtm",
            "--at",
            at,
            "--connections",
            "3",
            "--seconds",
            "1",
            "--warmup",
            "0.1",
            "--mix",
            "txn",
            "--open",
            "10",
            "--json");
    assertThat(err.toString()).isEmpty();
    assertThat(status).isZero();
    JsonNode result = new ObjectMapper().readTree(out.toString());
    assertThat(result.get("operations").asLong()).isPositive();
    assertThat(result.get("findings").asLong()).isZero();
    assertThat(result.at("/latencyByOperation/SNAPSHOT/p99Micros").asDouble()).isPositive();
  }

  @Test
  void aRunIsPrintedAsText() {
    int status = run("gtm", "--at", at, "--seconds", "1", "--warmup", "0", "--mix", "seq");
    assertThat(status).isZero();
    assertThat(out.toString())
        .contains("8 connections, mix seq")
        .contains("next_value")
        .contains("0 requests failed, the checker found 0 faults");
  }

  @Test
  void aComparisonIsARowOfMarkdown() {
    int status =
        run(
            "compare",
            "--reference",
            at,
            "--at",
            at,
            "--connections",
            "1,2",
            "--mix",
            "begin",
            "--rounds",
            "1",
            "--seconds",
            "0.7",
            "--warmup",
            "0");
    assertThat(status).isZero();
    assertThat(out.toString().lines())
        .hasSize(4)
        .last()
        .asString()
        .startsWith("| begin | 2 | 0 |")
        .contains("**");
  }

  @Test
  void aTargetThatIsNotThereIsOneLine() {
    assertThat(run("gtm", "--at", "127.0.0.1:1", "--seconds", "1")).isOne();
    assertThat(err.toString().lines()).hasSize(1).allMatch(l -> l.startsWith("mgtm: "));
  }

  @Test
  void settingsThatMakeNoSenseAreOneLine() {
    assertThat(run("gtm", "--at", at, "--connections", "0")).isOne();
    assertThat(err.toString()).contains("connections must be above 0");
  }

  @Test
  void failoverRefusesWhatMakesNoSense() {
    assertThat(run("failover", "--rounds", "0")).isOne();
    assertThat(err.toString()).contains("--rounds and --connections must be at least 1");
    assertThat(run("failover", "--kinds", "flood")).isOne();
  }

  @Test
  void wanRefusesWhatMakesNoSense() {
    assertThat(run("wan", "--seconds", "0")).isOne();
    assertThat(run("wan", "--groups", "fifo:1")).isOne();
    assertThat(run("wan", "--groups", "three")).isOne();
    assertThat(run("wan", "--connections", "0")).isOne();
    assertThat(err.toString().lines())
        .hasSize(4)
        .allMatch(l -> l.contains("mgtm bench wan --help"));
  }

  @Test
  void settingsThatMakeNoSenseAreToldInOneLine() {
    assertThat(run("gtm", "--at", "127.0.0.1:1", "--connections", "0")).isOne();
    assertThat(err.toString())
        .isEqualTo("mgtm: connections must be above 0; see mgtm bench gtm --help\n");
  }

  @Test
  void reportRefusesWhatMakesNoSense() {
    assertThat(run("report", "--only", "gtm,everything")).isOne();
    assertThat(err.toString())
        .contains("\"everything\" is no part", "see mgtm bench report --help");
    assertThat(run("report", "--out", data.resolve("none").resolve("page.html").toString()))
        .isOne();
    assertThat(err.toString()).contains("cannot be written: name a file in a folder that is there");
  }
}
