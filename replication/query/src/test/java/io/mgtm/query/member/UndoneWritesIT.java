package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A write that its transaction undoes comes late to the other server, after that of a transaction
 * which has taken its locks at the leader.
 */
class UndoneWritesIT {
  private static final String TABLES =
      "create table kept (id int primary key, n int); insert into kept values (1, 1), (2, 1)";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;
  @AutoClose private Between other;

  @BeforeEach
  void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    other = new Between(cluster.servers.get(1).address);
    List<HostPort> servers = List.of(cluster.servers.get(0).address, other.address());
    cluster.replicator =
        QueryServer.start(TestConfig.several(folder, servers, cluster.spoolBytes, cluster.applyMs));
  }

  @Test
  void itIsRolledBack() throws Exception {
    try (Connection late = cluster.alice()) {
      late.setAutoCommit(false);
      write(late, "update kept set n = 4711 where id = 1");
      late.rollback();
      deleteTheRow();
      other.release();
      write(late, "update kept set n = 3 where id = 2");
      late.commit();
    }
    assertUndone();
  }

  @Test
  void itsSavepointIsGoneBackTo() throws Exception {
    try (Connection late = cluster.alice()) {
      late.setAutoCommit(false);
      late.createStatement().executeUpdate("update kept set n = 2 where id = 2");
      Savepoint savepoint = late.setSavepoint();
      write(late, "update kept set n = 4711 where id = 1");
      late.rollback(savepoint);
      deleteTheRow();
      other.release();
      write(late, "update kept set n = 3 where id = 2");
      late.commit();
    }
    assertUndone();
  }

  private void write(Connection at, String sql) throws Exception {
    other.hold("4711");
    try (Statement statement = at.createStatement()) {
      assertThat(statement.executeUpdate(sql)).isOne();
    }
  }

  private void deleteTheRow() throws Exception {
    other.awaitHeld();
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThat(statement.executeUpdate("delete from kept where id = 1")).isOne();
    }
  }

  private void assertUndone() throws Exception {
    cluster.assertAlike();
    assertThat(cluster.number("select sum(n) from kept")).isEqualTo(3);
    assertThat(cluster.number("select count(*) from kept")).isOne();
  }
}
