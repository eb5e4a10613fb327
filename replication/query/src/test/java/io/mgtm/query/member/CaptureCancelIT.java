package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The leader gives up a statement of class C while it tells which rows that has written. */
class CaptureCancelIT {
  private static final String TABLES =
      """
      create table item (id int primary key);
      create procedure put(i int) language plpgsql as $$begin
        insert into item values (i); perform pg_advisory_xact_lock(7); end$$;
      """;

  private static final String WAITS = " from pg_locks where locktype = 'advisory' and not granted";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  /** The SQLSTATE of its error. */
  private static String state(Connection at, String sql) {
    try {
      at.createStatement().execute(sql);
      return "";
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }

  @Test
  void theClientIsToldOfIt() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
    Postgres leader = cluster.servers.get(0);
    try (Connection alice = cluster.alice();
        Connection procedure = leader.direct("app");
        Connection captured = leader.direct("app")) {
      procedure.createStatement().execute("select pg_advisory_lock(7)");
      CompletableFuture<String> told =
          CompletableFuture.supplyAsync(() -> state(alice, "call put(1)"));
      Await.until("the procedure to wait", () -> leader.number("select count(*)" + WAITS) == 1);
      long pid = leader.number("select pid" + WAITS);
      // What was captured is deleted in the end, and waits for this row of it.
      captured
          .createStatement()
          .execute("insert into mgtm.captured values (%d, 'item'::regclass)".formatted(pid));
      captured.setAutoCommit(false);
      captured.createStatement().execute("select from mgtm.captured for update");
      procedure.createStatement().execute("select pg_advisory_unlock(7)");
      String cancelled =
          "select count(pg_cancel_backend(pid)) from pg_stat_activity where pid = %d"
              + " and wait_event_type = 'Lock' and query like '%%mgtm_captured(%%'";
      Await.until("it to be cancelled", () -> leader.number(cancelled.formatted(pid)) == 1);

      assertThat(told.get(180, TimeUnit.SECONDS)).isEqualTo("57014");

      captured.rollback();
      assertThat(state(alice, "call put(2)")).isEmpty();
    }
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(2);
    cluster.assertAlike();
  }
}
