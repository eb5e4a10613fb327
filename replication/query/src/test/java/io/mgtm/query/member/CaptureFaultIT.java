package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers that die while procedures and triggers write. */
class CaptureFaultIT {
  private static final String TABLES =
      Transfers.TABLES
          + """
          ;create table history (at timestamptz default clock_timestamp(), account int, balance bigint);
          create function noted() returns trigger language plpgsql as $$begin
            insert into history (account, balance) values (new.id, new.balance); return null; end$$;
          create trigger noted after update on account for each row execute function noted();
          create procedure move(c int, m int, a int, b int) language plpgsql as $$begin
            update account set balance = balance - 1 where id = a;
            begin
              update account set balance = 0 where id = a; raise division_by_zero;
            exception when division_by_zero then null; end;
            update account set balance = balance + 1 where id = b;
            insert into move (client, number) values (c, m); end$$;
          """;

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  private static void move(Connection connection, int client, int number) throws SQLException {
    int from = ThreadLocalRandom.current().nextInt(1, 20);
    int to = ThreadLocalRandom.current().nextInt(from + 1, 21);
    try (Statement statement = connection.createStatement()) {
      statement.execute("call move(%d, %d, %d, %d)".formatted(client, number, from, to));
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  private static void awaitMore(Transfers transfers) {
    long before = transfers.done();
    Await.until("20 moves more", () -> transfers.done() > before + 20);
  }

  private void dies(int rounds) throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
    Transfers transfers = new Transfers(cluster, 3, CaptureFaultIT::move);
    try (Connection idle = cluster.alice();
        Connection listens = cluster.alice()) {
      listens.createStatement().execute("listen something");
      for (int round = 0; round < rounds; round++) {
        Postgres one = cluster.servers.get((round + 1) % 2);
        awaitMore(transfers);
        one.kill();
        cluster.awaitIn(1);
        awaitMore(transfers);
        one.startAgain();
        cluster.awaitIn(2);
        assertThat(idle.isValid(60)).isTrue();
      }
      awaitMore(transfers);
      // It would never be told of anything by another leader.
      assertThat(listens.isValid(60)).isFalse();
    } finally {
      transfers.end();
    }
    cluster.assertMoved(transfers);
    assertThat(cluster.number("select count(*) from history"))
        .isEqualTo(2 * cluster.number("select count(*) from move"));
    assertThat(transfers.told()).allMatch(told -> told.matches("(40001|23505) .*"));
  }

  @Test
  void nothingIsLostAndNothingDiffersWhenEachServerDies() throws Exception {
    dies(2);
  }

  @Test
  @Tag("long")
  void noneEverDoes() throws Exception {
    dies(12);
  }
}
