package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers are added and removed while clients write. */
class AddServerIT {
  private static final String TABLES =
      Transfers.TABLES
          + ";create type mood as enum ('bad', 'good');"
          + "create table kept (id int primary key, t text, m mood, at timestamptz);"
          + "insert into kept select n, repeat('x', n % 100), 'good', now() from"
          + " generate_series(1, 2000) n;"
          + "create table stamped (id int primary key, at timestamptz);"
          + "create function stamp() returns trigger language plpgsql as $$ begin"
          + " new.at := clock_timestamp(); return new; end $$;"
          + "create trigger stamp before insert or update on stamped for each row"
          + " execute function stamp();"
          + "comment on database app is E'two\\nlines'; alter database app set work_mem = '5MB'";

  @TempDir private Path folder;
  private Cluster cluster;
  private Postgres former;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @AfterEach
  void stop() throws Exception {
    if (cluster != null) {
      cluster.close();
    }
    if (former != null) {
      former.stop();
    }
  }

  private JsonNode ask(String path) throws Exception {
    return Tools.ask(cluster.replicator.admin(), path);
  }

  private String error(String path) throws Exception {
    return ask(path).path("error").asText();
  }

  private static String add(Postgres server) {
    return "/add-server?server=" + server.address;
  }

  private static String remove(Postgres server) {
    return "/remove-server?server=" + server.address;
  }

  private void write(int id) throws Exception {
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("insert into stamped values (" + id + ")");
      alice.createStatement().execute("create table made_" + id + " (id int primary key)");
      alice.createStatement().execute("insert into made_" + id + " values (1)");
    }
  }

  @Test
  void oneServerBecomesThreeAndTwoOthersUnderLoad() throws Exception {
    cluster = new Cluster(folder, 1, "dtp", TABLES);
    cluster.letAliceWriteWithoutTriggers();
    cluster.startReplicator();
    Transfers transfers = new Transfers(cluster, 4);
    Postgres first = cluster.servers.get(0);
    try {
      more(transfers);
      Postgres dumped = Postgres.blank(folder.resolve("dumped"));
      cluster.servers.add(dumped);
      assertThat(ask(add(dumped)).toString())
          .isEqualTo(
              "{\"added\":\"%s\",\"databasesCopied\":[\"app\"],\"serversIn\":2}"
                  .formatted(dumped.address));
      more(transfers);
      write(1);
      Postgres copied = Postgres.backup(folder.resolve("copied"), dumped);
      cluster.servers.add(copied);
      assertThat(error(remove(copied))).contains("is none of the servers");
      more(transfers);
      write(2);
      assertThat(ask(add(copied)).toString()).contains("\"databasesCopied\":[],\"serversIn\":3}");
      assertThat(error(add(copied))).contains("is one of the servers, and in");
      more(transfers);
      write(3);
      cluster.assertAlike();
      assertThat(ask(remove(first)).path("leader").asText()).isEqualTo(dumped.address.toString());
      former = first;
      cluster.servers.remove(first);
      more(transfers);
      write(4);
    } finally {
      transfers.end();
    }
    assertThat(transfers.told()).allMatch(told -> told.matches("40001 .*"));
    cluster.assertMoved(transfers);
    assertThat(former.number("select count(*) from stamped")).isEqualTo(3);
    assertSameRoles();
    cluster.replicator.close();
    startWith(former.address);
    assertThat(cluster.replicator.serversIn())
        .containsExactlyElementsOf(cluster.servers.stream().map(s -> s.address + "").toList());
    cluster.assertMoved(transfers);
    assertThat(ask(remove(cluster.servers.get(1))).path("serversIn").asInt()).isOne();
    assertThat(error(remove(cluster.servers.get(0)))).contains("1 servers are in, and 1 must be");
  }

  @Test
  void whoIsIdleIsConnectedBeforeItIsIn() throws Exception {
    cluster = new Cluster(folder, 1, "dtp", TABLES);
    cluster.startReplicator();
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("set work_mem = '7MB'");
      Postgres copied = Postgres.backup(folder.resolve("copied"), cluster.servers.get(0));
      cluster.servers.add(copied);
      assertThat(ask(add(copied)).path("serversIn").asInt()).isEqualTo(2);
      String backends = "select count(*) from pg_stat_activity where usename = 'alice'";
      assertThat(copied.number(backends)).isOne();
      assertThat(ask("/status").path("foreignBackends").toString()).doesNotContain("alice");
      alice.createStatement().execute("insert into kept values (0, 'x', 'good', now())");
      assertThat(cluster.number("select count(*) from kept")).isEqualTo(2_001);
      assertThat(copied.number(backends)).isOne();
    }
    Await.until("alice to be gone", () -> cluster.replicator.sessions() == 0);
    cluster.assertAlike();
  }

  @Test
  void whatIsSetBeforeOrWhileAServerComesIsSetThere() throws Exception {
    cluster = new Cluster(folder, 1, "dtp", TABLES);
    cluster.startReplicator();
    try (Connection steady = cluster.alice();
        Connection changed = cluster.alice()) {
      steady.createStatement().execute("set application_name = 'steady'");
      changed.createStatement().execute("set application_name = 'first'");
      Postgres copied = Postgres.backup(folder.resolve("copied"), cluster.servers.get(0));
      cluster.servers.add(copied);
      CompletableFuture<JsonNode> adding;
      try (Connection last = copied.direct("app")) {
        last.setAutoCommit(false);
        try (Connection compared = copied.direct("app")) {
          compared.setAutoCommit(false);
          compared.createStatement().execute("lock table kept in access exclusive mode");
          adding = CompletableFuture.supplyAsync(() -> asked(add(copied)));
          Await.until(
              "its rows to be compared",
              () -> copied.number("select count(*) from pg_locks where not granted") > 0);
          last.createStatement().execute("select from mgtm.position where slot = -1 for update");
        }
        awaitNames(copied, 2, "");
        steady.createStatement().execute("select 1");
        changed.createStatement().execute("select 1");
        awaitNames(copied, 1, "steady");
        awaitNames(copied, 1, "first");
        changed.createStatement().execute("set application_name = 'second'");
      }
      assertThat(adding.get(5, TimeUnit.MINUTES).path("serversIn").asInt()).isEqualTo(2);
      steady.createStatement().execute("insert into kept values (0, 'x', 'good', now())");
      changed.createStatement().execute("insert into kept values (-1, 'x', 'good', now())");
      awaitNames(copied, 1, "steady");
      awaitNames(copied, 1, "second");
      awaitNames(copied, 2, "");
    }
    Await.until("alice to be gone", () -> cluster.replicator.sessions() == 0);
    cluster.assertAlike();
  }

  /** Until so many of alice's backends have a name that begins so. */
  private static void awaitNames(Postgres server, int count, String name) {
    String named =
        "select count(*) from pg_stat_activity where usename = 'alice' and application_name like '"
            + name
            + "%'";
    Await.until(count + " named " + name, () -> server.number(named) == count);
  }

  private JsonNode asked(String path) {
    try {
      return ask(path);
    } catch (Exception e) {
      throw new CompletionException(e);
    }
  }

  /** Of a configuration that is that of the first start. */
  private void startWith(HostPort server) throws Exception {
    cluster.replicator =
        QueryServer.start(TestConfig.several(folder, List.of(server), 8 << 20, 60_000));
  }

  /** What the dump of roles and databases brought is what the first server has. */
  private void assertSameRoles() throws Exception {
    String roles =
        "select sum(hashtext((rolname, rolsuper, rolpassword)::text)) from pg_authid where"
            + " rolname in ('alice', 'mgtm')";
    String settings =
        "select sum(hashtext(setconfig::text)) + hashtext(shobj_description(oid, 'pg_database'))"
            + " from pg_database join pg_db_role_setting on setdatabase = pg_database.oid where"
            + " datname = 'app' group by pg_database.oid";
    for (String sql : List.of(roles, settings)) {
      assertThat(cluster.number(sql)).isEqualTo(former.number(sql));
    }
  }

  private static void more(Transfers transfers) {
    long before = transfers.done();
    Await.until("100 more moves", () -> transfers.done() > before + 100);
  }
}
