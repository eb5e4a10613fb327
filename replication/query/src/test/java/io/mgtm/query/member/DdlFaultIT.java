package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die, or are held up, while the schema is changed; and changes under load. */
@Tag("long")
class DdlFaultIT {
  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  private void start(int servers, int applyMs) throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, servers, Transfers.TABLES);
    cluster.applyMs = applyMs;
    cluster.startReplicator();
  }

  private static boolean hasTable(Postgres at, String name) throws SQLException {
    try (Connection direct = at.direct("app");
        ResultSet rows =
            direct
                .createStatement()
                .executeQuery("select to_regclass('" + name + "') is not null")) {
      rows.next();
      return rows.getBoolean(1);
    }
  }

  @Test
  void aChangeIsAtAllServersThatAreInOrAtNone() throws Exception {
    start(3, 60_000);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      alice.setAutoCommit(false);
      statement.execute("create table one (id int primary key)");
      cluster.servers.get(2).kill();
      statement.execute("insert into one (id) values (1)");
      alice.commit();
      Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 2);
      assertThat(cluster.replicator.verify()).isEmpty();

      statement.execute("create table two (id int primary key)");
      cluster.servers.get(0).kill();
      Await.until("the leader to be out", () -> cluster.replicator.serversIn().size() == 1);
      assertThatThrownBy(() -> statement.execute("insert into two (id) values (1)"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("40001"));
      alice.rollback();
      assertThat(hasTable(cluster.servers.get(1), "one")).isTrue();
      assertThat(hasTable(cluster.servers.get(1), "two")).isFalse();
      statement.execute("create table two (id int primary key)");
      statement.execute("insert into two (id) values (1)");
      alice.commit();
      assertThat(hasTable(cluster.servers.get(1), "two")).isTrue();
    }
  }

  @Test
  void aReaderThatHoldsUpAServerMakesTheChangeFailAndPutsNobodyOut() throws Exception {
    start(2, 2_000);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement();
        Connection reader = Cluster.alice(cluster.servers.get(1).address)) {
      reader.setAutoCommit(false);
      reader.createStatement().execute("select * from account");
      for (boolean autocommit : new boolean[] {true, false}) {
        alice.setAutoCommit(autocommit);
        assertThatThrownBy(() -> statement.execute("alter table account add column x int"))
            .isInstanceOfSatisfying(
                SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("55P03"))
            .hasMessageContaining("while others read");
        if (!autocommit) {
          alice.rollback();
        }
      }
      assertThat(cluster.replicator.serversIn()).hasSize(2);
      reader.rollback();
      statement.execute("alter table account add column x int");
      alice.commit();
    }
    assertThat(cluster.replicator.verify()).isEmpty();
  }

  @Test
  void changesUnderLoadLeaveEqualRows() throws Exception {
    start(2, 60_000);
    Transfers transfers = new Transfers(cluster, 4);
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      for (int i = 0; i < 20; i++) {
        long before = transfers.done();
        Await.until("more moves", () -> transfers.done() > before + 20);
        statement.execute("alter table move add column c" + i + " float8");
        statement.execute("alter table move alter column c" + i + " set default random()");
        statement.execute("alter table account add column c" + i + " int default " + i);
        statement.execute("alter table account rename column c" + i + " to d" + i);
        statement.execute("create index on move (c" + i + ")");
      }
      transfers.end();
      assertThat(transfers.told())
          .allMatch(told -> told.contains("the schema was changed") || told.startsWith("40P01"));
      assertThat(cluster.replicator.serversIn()).hasSize(2);
      assertThat(cluster.replicator.verify()).isEmpty();
    } finally {
      transfers.end();
    }
  }
}
