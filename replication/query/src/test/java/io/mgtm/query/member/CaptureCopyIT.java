package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;

/** COPY FROM STDIN of which the other server is given the rows, before two real servers. */
class CaptureCopyIT {
  private static final String TABLES =
      """
      create table serials (id serial primary key, name text, at timestamptz default clock_timestamp(),
        chance float8 default random());
      create table log (id bigserial primary key, line text);
      create table noted (id int primary key, n int);
      create function note() returns trigger language plpgsql as $$begin
        insert into log (line) values ('noted ' || new.id); new.n := 2 * new.n; return new; end$$;
      create trigger noting before insert on noted for each row execute function note();
      create table parts (id int primary key, name text) partition by list (id);
      create table part1 partition of parts for values in (1, 2, 3);
      create table part2 partition of parts default;
      create view seen as select id, n from noted;
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;
  private Connection alice;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @BeforeEach
  void connect() throws SQLException {
    alice = cluster.alice();
    for (String table : new String[] {"serials", "log", "noted"}) {
      alice.createStatement().execute("delete from " + table);
    }
    alice.createStatement().execute("delete from parts");
  }

  @AfterEach
  void everyServerHasTheSame() throws Exception {
    alice.close();
    cluster.assertAlike();
  }

  private long copy(String sql, String data) throws Exception {
    return alice.unwrap(PGConnection.class).getCopyAPI().copyIn(sql, new StringReader(data));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          copy serials (name) from stdin             | a\\nb\\nc       | 3 | select count(*) from serials
          copy serials (name) from stdin where name > 'a' | a\\nb\\nc  | 2 | select count(*) from serials
          copy serials (name) from stdin (format csv, encoding 'latin1') | é,\\nb | 0 | select count(*) from serials
          copy serials (name) from stdin (format csv, encoding 'latin1') | é\\nb  | 2 | select count(*) from serials
          copy noted from stdin                      | 1\\t5\\n2\\t6  | 2 | select count(*) from log where line like 'noted%'
          copy parts from stdin                      | 1\\tx\\n9\\ty  | 2 | select count(*) from part1, part2
          copy parts (id) from stdin                 | 1\\n1          | 0 | select count(*) from parts
          """)
  void rowsAreThoseOfTheLeader(String sql, String data, long copied, String count)
      throws Exception {
    String lines = data.replace("\\n", "\n").replace("\\t", "\t") + "\n";
    if (copied == 0) {
      assertThatThrownBy(() -> copy(sql, lines)).isInstanceOf(SQLException.class);
    } else {
      assertThat(copy(sql, lines)).isEqualTo(copied);
    }
    long expected = count.contains("part1, part2") ? 1 : copied;
    assertThat(cluster.number(count)).isEqualTo(expected);
  }

  @Test
  void rowsOfATransactionAreUndoneWithIt() throws Exception {
    alice.setAutoCommit(false);
    assertThat(copy("copy serials (name) from stdin", "a\n")).isOne();
    alice.createStatement().execute("savepoint s");
    assertThat(copy("copy noted from stdin", "1\t1\n")).isOne();
    alice.createStatement().execute("rollback to s");
    assertThat(copy("copy serials (name) from stdin", "b\nc\n")).isEqualTo(2);
    alice.commit();
    copy("copy noted from stdin", "2\t2\n");
    alice.rollback();
    assertThat(cluster.number("select count(*) from serials")).isEqualTo(3);
    assertThat(cluster.number("select count(*) from noted")).isZero();
  }

  @Test
  void copyStandsBetweenOtherStatements() throws Exception {
    Tools.Result psql =
        cluster.program(
            "psql",
            "-XAt",
            "-c",
            "insert into noted values (1, 1); copy serials (name) from stdin; select count(*) from noted",
            "-c",
            "\\copy noted from program 'printf 1'",
            "-c",
            "\\copy serials (name) from program 'seq 1 20000'");
    assertThat(psql.output())
        .contains("INSERT 0 1\nCOPY 0\n1\n")
        .contains("missing data for column \"n\"")
        .contains("COPY 20000");
    assertThat(cluster.number("select count(*) from serials")).isEqualTo(20_000);
    assertThat(cluster.number("select sum(n) from noted")).isEqualTo(2);
  }

  /** By which nobody sees what was copied where. */
  @Test
  void copyIntoAViewIsForTheServerToRefuse() {
    assertThatThrownBy(() -> copy("copy seen from stdin", "1\t1\n"))
        .hasMessageContaining("cannot copy to view");
  }
}
