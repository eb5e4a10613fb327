package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A major version is changed for another while clients write, and servers of both die meanwhile.
 */
@Tag("long")
class MixedUpgradeIT {
  private static final String TABLES =
      Transfers.TABLES
          + ";create table kept (id int primary key, t text, i interval);"
          + "insert into kept select n, repeat('x', n % 100), '1 day' from generate_series(1, 500) n;"
          + "create table stamped (id int primary key, at timestamptz);"
          + "create function stamp() returns trigger language plpgsql as $$ begin"
          + " new.at := clock_timestamp(); return new; end $$;"
          + "create trigger stamp before insert or update on stamped for each row"
          + " execute function stamp()";

  @TempDir private Path folder;
  private Path programs;
  @AutoClose private Cluster cluster;

  @BeforeEach
  void unpack() throws Exception {
    programs = OtherPostgres.unpack(folder);
  }

  private JsonNode ask(String path) throws Exception {
    return Tools.ask(cluster.replicator.admin(), path);
  }

  private String add(Postgres server) throws Exception {
    return ask("/add-server?server=" + server.address).toString();
  }

  private void promote(Postgres server) throws Exception {
    assertThat(ask("/promote?server=" + server.address).path("leader").asText())
        .isEqualTo(server.address.toString());
    cluster.awaitIn(cluster.servers.size());
    assertThat(leader()).isEqualTo(server.address);
  }

  private HostPort leader() {
    return HostPort.parse(cluster.replicator.serversIn().get(0));
  }

  private static void more(Transfers transfers) {
    long before = transfers.done();
    Await.until("100 more moves", () -> transfers.done() > before + 100);
  }

  private void write(String sql) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute(sql);
    }
  }

  /** What docs/query.md tells to do, command after command. */
  @Test
  void aMajorVersionIsUpgradedWhileClientsWrite() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
    Postgres former = cluster.servers.get(0);
    Postgres second = cluster.servers.get(1);
    Transfers transfers = new Transfers(cluster, 4);
    try {
      more(transfers);
      Postgres dumped = Postgres.blank(folder.resolve("dumped"), programs);
      assertThat(add(dumped)).contains("\"databasesCopied\":[\"app\"],\"serversIn\":3}");
      cluster.servers.add(dumped);
      more(transfers);
      write("insert into stamped values (1)");
      Postgres copied = Postgres.snapshot(folder.resolve("copied"), dumped);
      assertThat(add(copied)).contains("\"databasesCopied\":[],\"serversIn\":4}");
      cluster.servers.add(copied);
      more(transfers);
      promote(dumped);
      more(transfers);
      write("insert into stamped values (2)");
      // And back, while the older ones are there.
      promote(second);
      more(transfers);
      write("create table made (id int primary key); insert into made values (1)");
      promote(copied);
      more(transfers);
      // An older one is added while a newer one leads: as a copy, or dumped from an older one.
      Postgres third = Postgres.blank(folder.resolve("third"));
      assertThat(add(third)).contains("\"databasesCopied\":[\"app\"],\"serversIn\":5}");
      cluster.servers.add(third);
      more(transfers);
      cluster.assertAlike();
      for (Postgres old : List.of(former, second, third)) {
        assertThat(ask("/remove-server?server=" + old.address).path("leader").asText())
            .isEqualTo(copied.address.toString());
        cluster.servers.remove(old);
        old.stop();
      }
      more(transfers);
      Postgres late = Postgres.blank(folder.resolve("late"));
      assertThat(add(late)).contains("databases are not copied to an older version");
      late.stop();
    } finally {
      transfers.end();
    }
    assertThat(transfers.told()).allMatch(told -> told.matches("40001 .*"));
    cluster.assertMoved(transfers);
    try (Connection alice = cluster.alice()) {
      assertThat(alice.getMetaData().getDatabaseMajorVersion()).isGreaterThan(15);
    }
    write("create table virt (id int primary key, g int generated always as (id * 2))");
    write("insert into virt (id) values (1), (1_000); update virt set id = 3 where id = 1");
    cluster.assertAlike();
    Await.until(
        "texts to be given to all again",
        () -> explained("update kept set t = 'a' where id = 1").equals("KEY_LOCAL"));
  }

  private String explained(String sql) throws Exception {
    return ask("/explain?database=app&sql=" + sql.replace(" ", "+")).get(0).path("class").asText();
  }

  @Test
  void serversOfBothVersionsDieAndComeBack() throws Exception {
    cluster = Cluster.mixed(folder, programs, "dtgp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
    Transfers transfers = new Transfers(cluster, 4);
    try {
      for (int round = 0; round < 4; round++) {
        Postgres dies = cluster.servers.get(round % 2);
        more(transfers);
        dies.kill();
        more(transfers);
        write(
            "insert into stamped values (" + round + "); create table made_" + round + " (id int)");
        dies.startAgain();
        cluster.awaitIn(cluster.servers.size());
        assertThat(leader()).isNotEqualTo(dies.address);
      }
      cluster.program("pgbench", "-n", "-c", "4", "-t", "100", "-M", "prepared", "app").succeeded();
    } finally {
      transfers.end();
    }
    assertThat(transfers.told()).allMatch(told -> told.matches("(40001|57P01|08006|57P03) .*"));
    cluster.assertMoved(transfers);
    repair();
  }

  /** Either is as the leader again. */
  private void repair() throws Exception {
    for (int leader : new int[] {1, 0}) {
      if (!leader().equals(cluster.servers.get(leader).address)) {
        promote(cluster.servers.get(leader));
      }
      Postgres other = cluster.servers.get(1 - leader);
      other.sql("app", "update kept set i = '2 days', t = 'é' where id < 4; delete from stamped");
      assertThat(ask("/verify").path("rowsDifferent").asLong()).isEqualTo(7);
      assertThat(ask("/repair").path("differences")).isEmpty();
      cluster.assertAlike();
    }
  }

  /** One that cannot hold a value is out, the others go on, and it is not there by half. */
  @Test
  void aValueThatTheOlderCannotHoldPutsItOut() throws Exception {
    cluster = Cluster.mixed(folder, programs, "dtp", TABLES);
    cluster.startReplicator();
    Postgres older = cluster.servers.get(0);
    promote(cluster.servers.get(1));
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      statement.execute("insert into kept values (1001, '0x1F', '1 day')");
      statement.execute("update account set balance = '0x3e8' where id = '0b1'");
      cluster.assertAlike();
      statement.execute("insert into kept values (1002, 'x', 'infinity')");
      Await.until("the older to be out", () -> cluster.replicator.serversIn().size() == 1);
      assertThat(ask("/servers").toString())
          .contains("failed where the leader did not: invalid input syntax for type interval");
      assertThat(older.number("select count(*) from kept where id > 1001")).isZero();
      statement.execute("delete from kept where id = 1002");
      try (ResultSet row = statement.executeQuery("select count(*) from kept")) {
        row.next();
        assertThat(row.getInt(1)).isEqualTo(501);
      }
    }
    // The log has what it cannot do, and it is not dumped from a newer one.
    assertThat(add(older)).contains("infinity");
  }
}
