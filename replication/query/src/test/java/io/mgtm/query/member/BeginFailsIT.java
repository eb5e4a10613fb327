package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.common.HostPort;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;

/**
 * The leader refuses the BEGIN with which the replicator runs a statement: what would follow is not
 * to be committed there by itself.
 */
class BeginFailsIT {
  private static final String TABLES =
      "create table kept (id serial primary key, n int);"
          + "create function keep() returns int language sql as"
          + " 'insert into kept (n) values (1) returning n';"
          + "create function noted() returns trigger language plpgsql as"
          + " $$begin new.n = 1 + new.n; return new; end$$;"
          + "create table triggered (id int primary key, n int);"
          + "create trigger t before insert on triggered for each row execute function noted()";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;
  @AutoClose private static Between leader;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    leader = new Between(cluster.servers.get(0).address);
    List<HostPort> servers = List.of(leader.address(), cluster.servers.get(1).address);
    cluster.replicator =
        QueryServer.start(TestConfig.several(folder, servers, cluster.spoolBytes, cluster.applyMs));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into kept (n) values (1)",
        "insert into kept (id, n) values (1000, 1)",
        "insert into kept (n) values (1); select 1",
        "insert into triggered values (1, 1)",
        "select keep()",
        "do $$begin perform keep(); end$$",
        "create table made (id int primary key)",
      })
  void nothingIsDone(String sql) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertRefused(() -> statement.execute(sql));
      statement.execute("insert into kept (n) values (2)");
    }
    assertThat(cluster.number("select count(*) from kept where n = 1")).isZero();
    assertThat(cluster.number("select count(*) from triggered")).isZero();
    assertThat(cluster.number("select count(*) from pg_class where relname = 'made'")).isZero();
    cluster.assertAlike();
  }

  @Test
  void nothingIsCopied() throws Exception {
    try (Connection alice = cluster.alice()) {
      assertRefused(
          () ->
              alice
                  .unwrap(PGConnection.class)
                  .getCopyAPI()
                  .copyIn("copy kept (id, n) from stdin", new StringReader("2000\t1\n")));
      alice.createStatement().execute("insert into kept (n) values (2)");
    }
    assertThat(cluster.number("select count(*) from kept where n = 1")).isZero();
    cluster.assertAlike();
  }

  private static void assertRefused(ThrowingCallable runs) {
    leader.garble(true);
    try {
      assertThatThrownBy(runs)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42601"));
    } finally {
      leader.garble(false);
    }
  }
}
