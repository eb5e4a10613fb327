package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** AND CHAIN, before two servers. */
class ChainIT {
  private static final String SET =
      "select current_setting('transaction_isolation') || ' ' ||"
          + " current_setting('transaction_read_only') || ' ' ||"
          + " current_setting('transaction_deferrable')";

  private static final String COUNT = "select count(*) from item";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;
  private Connection alice;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table item (id int primary key)");
    cluster.startReplicator();
  }

  @BeforeEach
  void begin() throws Exception {
    alice = cluster.alice();
    run("delete from item");
  }

  @AfterEach
  void end() throws Exception {
    alice.close();
    cluster.assertAlike();
  }

  private void run(String sql) throws SQLException {
    try (Statement statement = alice.createStatement()) {
      statement.execute(sql);
    }
  }

  private String text(String sql) throws SQLException {
    try (Statement statement = alice.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void assertFails(String sqlState, ThrowingCallable what) {
    assertThatThrownBy(what)
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(sqlState));
  }

  @ParameterizedTest
  @ValueSource(strings = {"read committed", "repeatable read", "serializable"})
  void oneBeginsAsTheOtherHadBegun(String level) throws Exception {
    run("begin isolation level " + level);
    run("insert into item values (1)");
    run("commit and chain");
    assertThat(text(SET)).isEqualTo(level + " off off");
    run("savepoint s");
    run("insert into item values (2)");
    assertFails("23505", () -> run("insert into item values (1)"));
    run("rollback and chain");
    assertThat(text(SET)).isEqualTo(level + " off off");
    assertFails("3B001", () -> run("rollback to s"));
    run("commit and chain"); // It has failed, and so is rolled back.
    run("insert into item values (3)");
    run("commit and no chain");
    assertThat(text(SET)).isEqualTo("read committed off off");
    assertThat(cluster.number(COUNT)).isEqualTo(2);
  }

  @Test
  void whatWasReadOnlyStaysSo() throws Exception {
    run("begin isolation level serializable read only deferrable");
    text(COUNT);
    run("commit and chain");
    assertThat(text(SET)).isEqualTo("serializable on on");
    run("rollback and chain");
    assertThat(text(SET)).isEqualTo("serializable on on");
    run("rollback");
    run("begin read only");
    text(COUNT);
    run("rollback and chain");
    assertFails("25006", () -> run("insert into item values (4)"));
    // The server would begin one that may write.
    assertFails("0A000", () -> run("rollback and chain"));
    run("rollback");
    run("insert into item values (4)");
    assertThat(cluster.number(COUNT)).isOne();
  }

  /** Two transactions that read what the other writes, each the second of a chain. */
  @Test
  void whatIsSerializableIsChecked() throws Exception {
    run("insert into item values (5), (6)");
    try (Connection other = cluster.alice()) {
      for (Connection one : new Connection[] {alice, other}) {
        one.createStatement().execute("begin isolation level serializable");
        one.createStatement().execute("commit and chain");
        one.createStatement().executeQuery("select sum(id) from item").close();
      }
      run("insert into item values (7)");
      other.createStatement().execute("insert into item values (8)");
      run("commit and chain");
      assertFails("40001", () -> other.createStatement().execute("commit and chain"));
      run("insert into item values (9)");
      run("commit");
    }
    assertThat(cluster.number(COUNT)).isEqualTo(4);
  }

  @Test
  void outsideOfATransactionItIsRefused() throws Exception {
    assertFails("25P01", () -> run("commit and chain"));
    assertFails("25P01", () -> run("rollback and chain"));
    assertFails("25P01", () -> run("insert into item values (10); commit and chain"));
    assertThat(cluster.number(COUNT)).isZero();
  }

  /** What the client's transaction was is not known to the server that has come in its place. */
  @Test
  void whereTheLeaderDies() throws Exception {
    run("begin isolation level repeatable read");
    run("insert into item values (11)");
    run("commit and chain");
    run("insert into item values (12)");
    Postgres leader = cluster.servers.get(0);
    leader.kill();
    cluster.awaitIn(1);
    assertFails("40001", () -> text(COUNT));
    assertFails("0A000", () -> run("rollback and chain"));
    run("rollback");
    run("begin");
    run("commit and chain");
    run("insert into item values (13)");
    run("commit");
    leader.startAgain();
    cluster.awaitIn(2);
    assertThat(cluster.number(COUNT)).isEqualTo(2);
  }
}
