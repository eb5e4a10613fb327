package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.StringJoiner;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of statements of the simple protocol reach the servers as parameters. */
class NumbersIT {
  private static final String TABLES =
      "create table item (id int primary key, n int, small smallint, big bigint);"
          + " create table done (item int, delta bigint, at timestamp, note text default 'none');"
          + " create function forgets() returns int language plpgsql as"
          + " 'begin deallocate all; return 1; end'";

  private static final String SNAPSHOTS =
      "select count(*) from pg_stat_activity"
          + " where state = 'idle in transaction' and backend_xmin is not null";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  private static Connection simple() throws SQLException {
    return cluster.connect("alice", "app?preferQueryMode=simple");
  }

  /** What the leader has prepared for the session; in a transaction. */
  private static int prepared(Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "select count(*) from pg_prepared_statements where name like 'mgtm numbers%'")) {
      rows.next();
      return rows.getInt(1);
    }
  }

  private static void update(Statement statement, String sql) throws SQLException {
    assertThat(statement.executeUpdate(sql)).as(sql).isEqualTo(1);
  }

  @Test
  void queriesByKeyReadTheirRow() throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      statement.executeUpdate("insert into item values (-11, 0, 1, 2), (11, 5, 6, 7)");
      for (int i = 0; i < 3; i++) {
        assertThat(row(statement, "select n, small as s, big from item where id = 11"))
            .isEqualTo("n=5 s=6 big=7");
        assertThat(row(statement, "select n, small as s, big from item where id = -11"))
            .isEqualTo("n=0 s=1 big=2");
        assertThat(row(statement, "select n, small as s, big from item where id = 12")).isEmpty();
      }
      statement.execute("alter table item add column note int default 3");
      statement.execute("alter table item alter column note type text");
      for (int i = 0; i < 3; i++) {
        assertThat(row(statement, "select note from item where id = 11")).isEqualTo("note=3");
      }
      statement.execute("alter table item alter column note type int using note::int");
      assertThat(row(statement, "select note from item where id = 11")).isEqualTo("note=3");
      client.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        assertThat(row(statement, "select note from item where id = 11")).isEqualTo("note=3");
      }
      assertThat(prepared(statement)).isPositive();
      statement.execute("alter table item alter column note type text");
      assertThat(row(statement, "select note from item where id = 11")).isEqualTo("note=3");
      client.rollback();
      client.setAutoCommit(true);
      statement.execute("alter table item drop column note");
    }
    cluster.assertAlike();
  }

  /** As a Query: no portal is left open, which would keep a snapshot. */
  @Test
  void nothingOfAQueryStaysAtTheServer() throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      statement.executeUpdate("insert into item values (41, 0, 0, 0)");
      client.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        row(statement, "select n from item where id = 41");
      }
      assertThat(atAnyServer(SNAPSHOTS)).isZero();
      assertThat(prepared(statement)).isPositive();
    }
  }

  /** Also where it takes away what the replicator has prepared, which commits. */
  @ParameterizedTest
  @ValueSource(strings = {"select forgets()", "do 'begin deallocate all; end'"})
  void codeOfUsersMayForgetAllThatIsPrepared(String code) throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      statement.executeUpdate("insert into item values (51, 0, 0, 0) on conflict do nothing");
      client.setAutoCommit(false);
      for (int i = 0; i < 3; i++) {
        update(statement, "update item set n = n + 1 where id = 51");
        client.commit();
        update(statement, "update item set n = n + 1 where id = 51");
        statement.execute(code);
        update(statement, "update item set n = n + 1 where id = 51");
        client.commit();
        assertThat(cluster.replicator.serversIn()).hasSize(2);
      }
    }
    cluster.assertAlike();
  }

  private static long atAnyServer(String count) throws SQLException {
    long sum = 0;
    for (Postgres server : cluster.servers) {
      sum += server.number(count);
    }
    return sum;
  }

  @Test
  void insertedRowsAreTheSameEverywhere() throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      client.setAutoCommit(false);
      for (int i = -2; i <= 2; i++) {
        update(statement, "insert into item (id, n) values (" + (30 + i) + ", " + i + ")");
        update(
            statement,
            "insert into done (item, delta, at) values (" + i + ", +1, current_timestamp)");
      }
      assertThat(prepared(statement)).isEqualTo(4); // with and without a sign
      client.commit();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(
                () -> update(statement, "insert into item (id, n, small) values (31, 1, 70000)"))
            .hasMessageContaining("smallint out of range");
        client.rollback();
        assertThatThrownBy(() -> update(statement, "insert into item (id, n) values (31, 1)"))
            .hasMessageContaining("duplicate key");
        client.rollback();
      }
    }
    assertThat(cluster.number("select sum(n) from item where id between 28 and 32")).isZero();
    assertThat(cluster.number("select count(at) * 10 + sum(delta) from done")).isEqualTo(55);
    cluster.assertAlike();
  }

  /** Its columns with their names; empty where there is no row. */
  private static String row(Statement statement, String sql) throws SQLException {
    try (ResultSet rows = statement.executeQuery(sql)) {
      StringJoiner row = new StringJoiner(" ");
      while (rows.next()) {
        for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
          row.add(rows.getMetaData().getColumnLabel(i) + "=" + rows.getString(i));
        }
      }
      return row.toString();
    }
  }

  @Test
  void theyDoWhatTheTextsDo() throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      statement.executeUpdate("insert into item values (1, 0, 0, 0), (2, 0, 0, 0)");
      client.setAutoCommit(false);
      for (int i = -4; i <= 4; i++) {
        update(statement, "update item set n = n + " + i + " * 3, big = n where id = 1");
        update(statement, "update item set small = " + i + " where id = 2");
      }
      assertThat(statement.executeUpdate("update item set small = 1 where id = 99")).isZero();
      assertThat(prepared(statement)).isEqualTo(4); // with and without a sign
      client.commit();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> update(statement, "update item set small = 32768 where id = 2"))
            .hasMessageContaining("smallint out of range");
        client.rollback();
      }
      client.setAutoCommit(true);
      update(statement, "update item set small = 5 where id = 2");
      statement.execute(
          "update item set n = 7 where id = 2; update item set n = n + 1 where id = 2;"
              + " update item set n = n + 2 where id = 2");
    }
    assertThat(cluster.number("select n from item where id = 1")).isZero();
    assertThat(cluster.number("select small from item where id = 2")).isEqualTo(5);
    assertThat(cluster.number("select n from item where id = 2")).isEqualTo(10);
    cluster.assertAlike();
  }

  @Test
  void theyAreReadAnewWhereWhatTheyMeanHasChanged() throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      statement.executeUpdate("insert into item values (10, 0, 0, 0)");
      for (int i = 1; i <= 3; i++) {
        update(statement, "update item set n = n + " + i + " where id = 10");
      }
      statement.execute("discard all");
      for (int i = 1; i <= 3; i++) {
        update(statement, "update item set n = n + " + i + " where id = 10");
      }
      assertThat(cluster.number("select n from item where id = 10")).isEqualTo(12);
      statement.execute("alter table item alter n type text");
      update(statement, "update item set n = 5 where id = 10");
      statement.execute("alter table item alter n type bigint using n::bigint");
      for (int i = 1; i <= 3; i++) {
        update(statement, "update item set n = n * 2147483647 where id = 10");
        update(statement, "update item set n = 1 where id = 10");
      }
      assertThat(cluster.number("select n from item where id = 10")).isEqualTo(1);
    }
    cluster.assertAlike();
  }

  @Test
  void sessionsThatMakeManyKeepTheirNumberSmall() throws Exception {
    try (Connection client = simple();
        Statement statement = client.createStatement()) {
      statement.executeUpdate("insert into item values (20, 0, 0, 0)");
      client.setAutoCommit(false);
      for (int i = 1; i <= 300; i++) {
        update(statement, "update item set n =" + " ".repeat(i) + "0 where id = 20");
        update(statement, "update item set n =" + " ".repeat(i) + "1 where id = 20");
      }
      assertThat(prepared(statement)).isEqualTo(100);
      client.commit();
    }
    cluster.assertAlike();
  }
}
