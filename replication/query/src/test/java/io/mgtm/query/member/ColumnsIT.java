package io.mgtm.query.member;

import static io.mgtm.query.member.RawClient.message;
import static io.mgtm.query.member.Sql.run;
import static io.mgtm.query.member.Sql.text;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.query.wire.Rows;
import io.netty.buffer.ByteBuf;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Statements that clients have prepared, of tables whose columns become others: what a driver was
 * told of their rows is not told again.
 */
class ColumnsIT {
  private static final String MADE =
      "create table shaped (id serial primary key, x bigint); create table numbered"
          + " (id serial primary key, n int); create table grown (id int primary key, n int);"
          + " insert into grown values (1, 1); insert into shaped (x) values (2);"
          + " create type mood as enum ('bad', 'good'); create table felt (id int primary key,"
          + " m mood); insert into felt values (1, 'good')";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", MADE);
    cluster.startReplicator();
  }

  /** What it knows of a statement it uses from the first on, and binary. */
  private static Connection client() throws SQLException {
    return cluster.connect("alice", "app?prepareThreshold=1");
  }

  private static void change(String sql) throws SQLException {
    try (Connection other = cluster.alice()) {
      run(other, sql);
    }
  }

  /** Each client begins to read at another server. */
  private static final int CLIENTS = 4;

  /** A row in binary tells the types of its fields by numbers, which a client looks up. */
  @Test
  void numbersOfTypesAreTheLeaders() throws Exception {
    cluster.servers.get(1).sql("app", "create table further (id int); drop table further");
    change(
        "create type hue as enum ('red', 'blue'); create type dot as (x int, h hue);"
            + " create table dots (id int primary key, d dot, a hue[]);"
            + " insert into dots values (1, row (1, 'blue'), array['red', 'blue']::hue[])");
    String type = "select 'hue'::regtype::oid::int8";
    int hue = (int) cluster.leader().number(type);
    assertThat(cluster.servers.get(1).number(type)).isNotEqualTo(hue);
    for (int i = 0; i < CLIENTS; i++) {
      try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
        client.send(message('P', "s", "select d, a from dots", (short) 0));
        client.send(message('D', new byte[] {'S'}, "s"));
        client.send(message('S'));
        assertThat(client.readTo('Z')).isEqualTo("1tTZ");
        client.send(message('B', "", "s", (short) 0, (short) 0, (short) 1, (short) 1));
        client.send(message('E', "", 0));
        client.send(message('S'));
        assertThat(client.read().type()).isEqualTo('2');
        List<ByteBuf> row = Rows.values(client.read().body());
        assertThat(client.readTo('Z')).isEqualTo("CZ");
        // Of a row: how many fields, and of each its type, length and value.
        assertThat(row.get(0).getInt(4 * Integer.BYTES)).isEqualTo(hue);
        // Of an array: dimensions, whether there are nulls, the type.
        assertThat(row.get(1).getInt(2 * Integer.BYTES)).isEqualTo(hue);
      }
    }
  }

  @Test
  void aCursorThatIsHeldIsDescribedWhereItIs() throws Exception {
    for (int i = 0; i < CLIENTS; i++) {
      try (RawClient client = RawClient.trusted(cluster.replicator.address())) {
        assertThat(client.query("declare held cursor with hold for select id from grown"))
            .isEqualTo("CZ");
        client.send(message('D', new byte[] {'P'}, "held"));
        client.send(message('S'));
        assertThat(client.readTo('Z')).isEqualTo("TZ");
      }
    }
  }

  @Test
  void keysThatAreGeneratedStayRight() throws Exception {
    List<Long> keys = new ArrayList<>();
    try (Connection client = client();
        PreparedStatement insert =
            client.prepareStatement("insert into numbered (n) values (?)", new String[] {"id"})) {
      for (int i = 0; i < 10; i++) {
        if (i == 5) {
          change("alter table numbered alter id type bigint");
        }
        insert.setInt(1, i);
        insert.executeUpdate();
        try (ResultSet generated = insert.getGeneratedKeys()) {
          assertThat(generated.next()).isTrue();
          keys.add(generated.getLong(1));
        }
      }
    }
    try (Connection alice = cluster.alice()) {
      assertThat(keys).hasSize(10);
      assertThat(text(alice, "select array_agg(id order by id) from numbered"))
          .isEqualTo(keys.stream().map(String::valueOf).collect(joining(",", "{", "}")));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "select x from shaped where id = ?",
        "update shaped set x = x where id = ? returning x",
        "insert into shaped (id, x) values (? + 0, 2) on conflict (id) do update set x = 2"
            + " returning x",
      })
  void rowsStayRight(String sql) throws Exception {
    change("alter table shaped alter x type bigint");
    try (Connection client = client();
        PreparedStatement prepared = client.prepareStatement(sql)) {
      prepared.setInt(1, 1);
      for (int i = 0; i < 12; i++) {
        if (i == 6) {
          change("alter table shaped alter x type float8");
        }
        try (ResultSet rows = prepared.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getDouble(1)).as("%d", i).isEqualTo(2.0);
        }
      }
    }
  }

  @Test
  void aTransactionFailsOnceAndNothingOfItStays() throws Exception {
    change("alter table shaped alter x type bigint");
    try (Connection client = client();
        PreparedStatement prepared =
            client.prepareStatement("update shaped set x = x + ? where id = 1 returning x")) {
      client.setAutoCommit(false);
      prepared.setInt(1, 0);
      prepared.executeQuery().close();
      prepared.executeQuery().close();
      client.commit();
      change("alter table shaped alter x type float8");
      prepared.setInt(1, 40);
      assertThatThrownBy(prepared::executeQuery)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"))
          .hasMessageContaining("cached plan must not change result type");
      assertThatThrownBy(() -> run(client, "select 1"))
          .hasMessageContaining("current transaction is aborted");
      client.rollback();
      assertThat(cluster.number("select x::bigint from shaped where id = 1")).isEqualTo(2);
      try (ResultSet rows = prepared.executeQuery()) {
        assertThat(rows.next()).isTrue();
        assertThat(rows.getDouble(1)).isEqualTo(42.0);
      }
      client.rollback();
    }
    cluster.assertAlike();
  }

  @Test
  void columnsMayBeAdded() throws Exception {
    try (Connection client = client();
        PreparedStatement update =
            client.prepareStatement("update grown set n = n + 1 where id = ? returning *");
        PreparedStatement select = client.prepareStatement("select * from grown where id = ?")) {
      update.setInt(1, 1);
      select.setInt(1, 1);
      for (int i = 0; i < 12; i++) {
        if (i == 6) {
          change("alter table grown add y text default 'more'");
        }
        for (PreparedStatement one : List.of(update, select)) {
          try (ResultSet rows = one.executeQuery()) {
            assertThat(rows.next()).isTrue();
            assertThat(rows.getInt(2)).isEqualTo(i + 2);
            assertThat(rows.getMetaData().getColumnCount()).isEqualTo(i < 6 ? 2 : 3);
          }
        }
      }
    }
    cluster.assertAlike();
  }

  /** Each server has its own number of a type that users have made. */
  @Test
  void typesOfUsersAreTheSameAtAllServers() throws Exception {
    for (Postgres one : cluster.servers) {
      if (one != cluster.leader()) {
        one.sql("app", "create type between_them as enum ('a')");
      }
    }
    change("create type later as enum ('l')");
    change("create table told (id int primary key, m later)");
    change("insert into told values (1, 'l')");
    try (Connection client = client();
        PreparedStatement select = client.prepareStatement("select m from told where id = ?")) {
      select.setInt(1, 1);
      for (int i = 0; i < 8; i++) {
        client.setAutoCommit(i % 2 == 0);
        try (ResultSet rows = select.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getString(1)).isEqualTo("l");
        }
        if (i % 2 != 0) {
          client.commit();
        }
      }
    }
    cluster.sql("app", "drop type if exists between_them");
  }
}
