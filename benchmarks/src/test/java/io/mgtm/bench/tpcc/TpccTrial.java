package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.bench.BenchMain;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;

/** The commands against a server, and another connection to it that plants what they must find. */
final class TpccTrial {
  static final String PASSWORD = "tröublesome 'quoted'";

  /** What a command ended with. */
  record Result(int status, String out, String err) {
    JsonNode json() throws IOException {
      return new ObjectMapper().readTree(out);
    }
  }

  private final String url;
  private final String user;
  private final Path passwordFile;

  TpccTrial(Path folder, String url, String user) throws IOException {
    this.url = url;
    this.user = user;
    passwordFile = Files.writeString(folder.resolve("tpcc-password"), PASSWORD + "\n");
  }

  Result run(String command, String... more) {
    List<String> args = new ArrayList<>(List.of("tpcc", command, "--url", url, "--user", user));
    args.addAll(List.of("--password-file", passwordFile.toString()));
    args.addAll(List.of(more));
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line = BenchMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    int status = line.execute(args.toArray(String[]::new));
    assertThat(out + err.toString()).doesNotContain("tröublesome");
    return new Result(status, out.toString(), err.toString());
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url, user, PASSWORD);
  }

  void sql(String... statements) throws SQLException {
    try (Connection connection = connect();
        var statement = connection.createStatement()) {
      for (String one : statements) {
        var unused = statement.execute(one);
      }
    }
  }

  /** Loads twice, runs, and breaks each condition in turn. */
  void loadRunAndBreak() throws Exception {
    assertThat(run("run").err()).contains("nothing is loaded there");
    Result loaded = run("load", "--warehouses", "2", "--scale", "100");
    assertThat(loaded.status()).as(loaded.err()).isZero();
    assertThat(loaded.err()).contains("loaded 100 %");
    assertThat(loaded.out())
        .contains("loaded 2 warehouses of 1/100 of the specification's population");
    Result again = run("load", "--scale", "100");
    assertThat(again.status()).isOne();
    assertThat(again.err()).contains("a load is there already; load --replace drops it");
    assertThat(run("check").out()).isEqualTo("consistency conditions 1 to 4 hold\n");

    runs();
    finds("UPDATE warehouse SET w_ytd = w_ytd + 1 WHERE w_id = 2", "condition 1, warehouse 2: ");
    finds(
        "UPDATE district SET d_next_o_id = d_next_o_id + 1 WHERE d_w_id = 1 AND d_id = 7",
        "condition 2, warehouse 1, district 7: ");
    finds(
        // Two with a gap, since all others may have been delivered.
        "INSERT INTO new_order (no_w_id, no_d_id, no_o_id) VALUES (2, 10, -5), (2, 10, -3)",
        "condition 3, warehouse 2, district 10: ");
    finds(
        "INSERT INTO order_line SELECT o_id, 4, 1, 99, 1, 1, NULL, 1, 0, 'x' FROM orders WHERE o_w_id = 1 AND o_d_id = 4 AND o_id = 1",
        "condition 4, warehouse 1, district 4: ");

    sql("UPDATE tpcc_load SET finished = 0");
    assertThat(run("check").err()).contains("a load has not come to its end");
    assertThat(run("load", "--scale", "100", "--replace").status()).isZero();
    assertThat(run("check").status()).isZero();
  }

  private void runs() throws Exception {
    Result ran = run("run", "--connections", "4", "--seconds", "2", "--warmup", "0.2", "--json");
    assertThat(ran.status()).as(ran.out() + ran.err()).isZero();
    JsonNode result = ran.json();
    assertThat(result.get("scale").asInt()).isEqualTo(100);
    assertThat(result.get("newOrdersPerMinute").asDouble()).isPositive();
    assertThat(result.at("/byType/PAYMENT/count").asLong()).isPositive();
    assertThat(result.at("/byType/PAYMENT/latency/p99Micros").asDouble()).isPositive();
    assertThat(result.get("failures").asLong()).isZero();
    assertThat(result.get("checked").asBoolean()).isTrue();
  }

  private void finds(String planted, String found) throws Exception {
    sql(planted);
    Result checked = run("check");
    assertThat(checked.status()).isOne();
    assertThat(checked.out()).contains(found);
  }
}
