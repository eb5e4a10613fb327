package io.mgtm.bench.tpcc;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.bench.BenchMain;
import io.mgtm.bench.tpcc.Database.Distribution;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What needs no database. */
class TpccOptionsTest {
  private final StringWriter err = new StringWriter();

  private String refusal(String... args) {
    CommandLine line = BenchMain.commandLine();
    line.setErr(new PrintWriter(err));
    assertThat(line.execute(args)).isOne();
    return err.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://127.0.0.1:1/app?password=hunter2",
        "jdbc:postgresql://127.0.0.1:1/app?ssl=true&sslPassword=hunter2",
        "jdbc:postgresql://me:hunter2@127.0.0.1:1/app"
      })
  void aPasswordInTheAddressIsRefusedAndNotRepeated(String url) {
    assertThat(refusal("tpcc", "check", "--url", url))
        .contains("--url must hold no password")
        .doesNotContain("hunter2");
  }

  @Test
  void anAddressOfAnotherDatabaseIsRefused() {
    String url = "jdbc:postgresql://127.0.0.1:1/app";
    assertThat(refusal("tpcc", "load", "--database", "mariadb", "--url", url))
        .contains("--url of mariadb must begin with jdbc:mariadb:");
    assertThat(refusal("tpcc", "load", "--database", "oracle", "--url", url))
        .contains("expected postgresql, mariadb or postgres-xc");
  }

  @Test
  void aServerThatIsNotThereIsOneLine() {
    assertThat(refusal("tpcc", "run", "--url", "jdbc:postgresql://127.0.0.1:1/app?ssl=false"))
        .startsWith("mgtm: cannot connect to jdbc:postgresql://127.0.0.1:1/app: ")
        .hasLineCount(1);
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    String url = "jdbc:postgresql://127.0.0.1:1/app";
    assertThat(refusal("tpcc", "run", "--url", url, "--connections", "0"))
        .contains("--connections must be from 1");
    assertThat(refusal("tpcc", "run", "--url", url, "--isolation", "none"))
        .contains("expected read-committed, repeatable-read or serializable");
    assertThat(refusal("tpcc", "load", "--url", url, "--scale", "0")).contains("--scale");
  }

  @Test
  void postgresXcSpreadsRowsByWarehouse() {
    assertThat(Schema.create(Database.POSTGRES_XC, Distribution.MODULO))
        .hasSize(9)
        .allMatch(table -> table.contains(" DISTRIBUTE BY "))
        .anyMatch(table -> table.startsWith("CREATE TABLE item ") && table.endsWith("REPLICATION"))
        .anyMatch(
            table ->
                table.startsWith("CREATE TABLE stock ")
                    && table.endsWith(
                        "PRIMARY KEY (s_w_id, s_i_id)) DISTRIBUTE BY MODULO (s_w_id)"));
    assertThat(Schema.create(Database.POSTGRES_XC, Distribution.REPLICATION))
        .allMatch(table -> table.endsWith(" DISTRIBUTE BY REPLICATION"));
    assertThat(Schema.create(Database.POSTGRESQL, Distribution.HASH))
        .noneMatch(table -> table.contains("DISTRIBUTE"));
  }

  @Test
  void conflictsAreToldFromFailures() {
    assertThat(Database.POSTGRESQL.isConflict(new SQLException("", "40P01"))).isTrue();
    assertThat(Database.POSTGRESQL.isConflict(new SQLException("", "57P01"))).isFalse();
    assertThat(Database.POSTGRESQL.isConflict(new SQLException(""))).isFalse();
    assertThat(Database.MARIADB.isConflict(new SQLException("", "HY000", 1205))).isTrue();
  }

  @Test
  void progressIsALineForEachTenth() {
    StringWriter out = new StringWriter();
    Progress progress = new Progress(new PrintWriter(out), false, 1_000);
    for (int i = 0; i < 1_000; i++) {
      progress.add(1);
    }
    assertThat(out.toString().lines()).hasSize(11).last().isEqualTo("loaded 100 %");
  }

  @Test
  void progressIsABarOnATerminal() {
    StringWriter out = new StringWriter();
    Progress progress = new Progress(new PrintWriter(out), true, 4);
    progress.add(2);
    progress.add(2);
    assertThat(out.toString())
        .contains("\r[" + "#".repeat(20) + " ".repeat(20) + "]  50 %")
        .endsWith("] 100 %" + System.lineSeparator());
  }
}
