package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Libraries by which applications use PostgreSQL, before two real servers. Each writes rows in
 * transactions, by prepared statements and batches, meets errors in them, and goes on.
 */
class ClientsIT {
  /** Rows of {@code kept} go to the other server as a text, those of {@code made} as rows. */
  static final String TABLES =
      "create table kept (client text, id int, n int not null default 0 check (n < 1000),"
          + " primary key (client, id));"
          + "create table made (id serial primary key, client text, name text,"
          + " at timestamptz default now(), tags text[], doc jsonb)";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
  }

  private static void assertWritten(String client, int kept, int made) throws Exception {
    String of = " where client = '" + client + "'";
    assertThat(cluster.number("select count(*) from kept" + of)).isEqualTo(kept);
    assertThat(cluster.number("select count(*) from made" + of)).isEqualTo(made);
    cluster.assertAlike();
  }

  @Test
  void hikariPoolsSessionsOfSeveralThreads() throws Exception {
    try (HikariWork hikari = new HikariWork(cluster)) {
      hikari.writeByThreads();
      assertWritten("hikari", HikariWork.KEPT, HikariWork.MADE);
      hikari.outliveItsSessions();
    }
    cluster.assertAlike();
  }

  @Test
  void r2dbcWritesInTransactionsOfSeveralSessions() throws Exception {
    new R2dbcWork(cluster).writeBySessions();
    assertWritten("r2dbc", R2dbcWork.KEPT, R2dbcWork.MADE);
  }

  @Test
  void vertxPoolsPipelinesAndKeepsWhatIsPrepared() throws Exception {
    try (VertxWork vertx = new VertxWork(cluster)) {
      vertx.writeInTransactions();
      vertx.writeInOneGo();
      assertWritten("vertx", VertxWork.KEPT, VertxWork.MADE);
    }
  }
}
