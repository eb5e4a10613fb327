package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.query.local.LocalProgram;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Privileges are taken away from who writes, while another server is behind. */
class RevokeIT {
  private static final String REVOKED =
      "select count(*) from pg_stat_activity where usename = 'alice' and state like 'idle in %'";

  private static final int ROUNDS = 30;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table kept (id int primary key, n int)");
    cluster.createRole("writer");
    for (Postgres server : cluster.servers) {
      server.sql("postgres", "create role team; grant team to writer");
      server.sql("postgres", "create table far (id int primary key, n int)");
      server.sql("postgres", "insert into far values (1, 0)");
      server.sql("postgres", "alter table far owner to alice; grant select, update on far to team");
      server.sql("postgres", "grant team to alice with admin option");
    }
    cluster.startReplicator();
    try (Connection alice = cluster.alice()) {
      run(alice, "insert into kept (id, n) values (1, 0)");
      run(alice, "GRANT SELECT, INSERT, UPDATE ON kept TO writer");
    }
  }

  private static Connection writer(String database) throws SQLException {
    return cluster.connect("writer", database);
  }

  private static void signal(String name, long pid) throws Exception {
    LocalProgram.run(folder, Map.of(), List.of("kill", "-" + name, Long.toString(pid)));
  }

  /** What the writer may do at the leader, it may still do at the other server. */
  @Test
  void whatWasWrittenBeforeIsThere() throws Exception {
    Postgres other = cluster.servers.get(1);
    try (Connection writer = writer("app");
        Connection alice = cluster.alice()) {
      writer.setAutoCommit(false);
      run(writer, "update kept set n = n + 1 where id = 1");
      Await.until(
          "the other server to have it",
          () ->
              other.number("select count(*) from pg_locks where relation = 'kept'::regclass") > 0);
      long pid = other.number("select pid from pg_stat_activity where usename = 'writer'");
      signal("STOP", pid);
      CompletableFuture<Void> revoked;
      try {
        run(writer, "update kept set n = n + 10 where id = 1");
        revoked = CompletableFuture.runAsync(() -> revoke(alice));
        Await.until(
            "the privilege to be about to go", () -> revoked.isDone() || other.number(REVOKED) > 0);
        assertThat(revoked).isNotDone();
      } finally {
        signal("CONT", pid);
      }
      revoked.get(60, TimeUnit.SECONDS);
      assertThatThrownBy(() -> run(writer, "update kept set n = n + 100 where id = 1"))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("42501"));
      writer.rollback();
      run(alice, "GRANT UPDATE ON kept TO writer");
      run(writer, "update kept set n = n + 1000 where id = 1");
      writer.commit();
    }
    assertThat(cluster.number("select n from kept")).isEqualTo(1_000);
    cluster.assertNobodyWasPutOut();
    cluster.assertAlike();
  }

  /** Roles are of all databases. */
  @Test
  void whoIsAMemberNoMoreWritesNoMore() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger written = new AtomicInteger();
    try (Connection alice = cluster.alice()) {
      CompletableFuture<Void> writes = CompletableFuture.runAsync(() -> write(over, written));
      for (int i = 0; i < ROUNDS; i++) {
        int before = written.get();
        Await.until("more to be written", () -> written.get() > before + 2);
        run(alice, "REVOKE team FROM writer");
        run(alice, "GRANT team TO writer");
      }
      over.set(true);
      writes.get(60, TimeUnit.SECONDS);
    }
    for (Postgres server : cluster.servers) {
      try (Connection direct = server.direct("postgres");
          ResultSet rows = direct.createStatement().executeQuery("select n from far")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(written.get());
      }
    }
    cluster.assertAlike();
  }

  private static void write(AtomicBoolean over, AtomicInteger written) {
    try (Connection writer = writer("postgres")) {
      while (!over.get()) {
        try {
          run(writer, "update far set n = n + 1 where id = 1");
          written.incrementAndGet();
        } catch (SQLException e) {
          assertThat(e.getSQLState()).isEqualTo("42501");
        }
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void revoke(Connection alice) {
    try {
      run(alice, "REVOKE UPDATE ON kept FROM writer");
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
