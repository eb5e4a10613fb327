package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The leader goes while sessions have temporary tables there, and others had some. */
class TemporaryTablesFaultIT {
  private static final String MAKE = "create temp table item (id int, n int)";

  @TempDir private Path folder;
  @AutoClose private Cluster cluster;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @BeforeEach
  void start() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", "create table item (id int primary key, n int)");
    cluster.startReplicator();
  }

  @Test
  void aSessionEndsWithTheServerOfItsTables() throws Exception {
    Postgres leader = cluster.servers.get(0);
    try (Connection has = cluster.alice();
        Connection had = cluster.alice();
        Connection had2 = cluster.alice();
        Connection inside = cluster.alice();
        Connection writes = cluster.alice()) {
      run(has, MAKE, "insert into item values (1, 1)");
      run(had, "begin", MAKE + " on commit drop", "insert into item values (2, 2)", "commit");
      run(had2, MAKE, "drop table item", "begin", MAKE, "rollback");
      run(inside, "begin", MAKE + " on commit drop", "insert into item values (3, 3)");
      run(writes, MAKE);
      AtomicInteger written = new AtomicInteger();
      CompletableFuture<SQLException> ended =
          CompletableFuture.supplyAsync(() -> untilItFails(writes, written));
      Await.until("some rows", () -> written.get() > 20);
      leader.kill();
      cluster.awaitIn(1);
      // What its name meant is gone; it is not run by what the name means elsewhere.
      assertThat(ended.get(120, TimeUnit.SECONDS).getSQLState()).isIn("57P01", "08006");
      assertThat(has.isValid(60)).isFalse();
      run(had, "insert into item values (20, 20)");
      run(had2, "insert into item values (21, 21)");
      assertFails("40001", () -> run(inside, "insert into item values (4, 4)"));
      run(inside, "rollback", "insert into item values (22, 22)");
      leader.startAgain();
      cluster.awaitIn(2);
      run(inside, MAKE, "insert into item values (5, 5)", "insert into public.item values (23, 1)");
      assertThat(cluster.number("select sum(id) from item")).isEqualTo(86);
    }
    cluster.assertAlike();
  }

  private static SQLException untilItFails(Connection client, AtomicInteger written) {
    while (true) {
      try {
        run(client, "insert into item values (1000 + %d, 0)".formatted(written.incrementAndGet()));
      } catch (SQLException e) {
        return e;
      }
    }
  }

  @Test
  void aSessionEndsWhenAnotherServerIsToLead() throws Exception {
    try (Connection has = cluster.alice();
        Connection inside = cluster.alice();
        Connection had = cluster.alice()) {
      run(has, MAKE);
      run(had, "begin", MAKE + " on commit drop", "commit");
      run(inside, "begin", MAKE, "insert into item values (3, 3)");
      Tools.ask(cluster.replicator.admin(), "/promote?server=" + cluster.servers.get(1).address);
      Await.until("the session to end", () -> !has.isValid(60));
      assertFails("40001", () -> run(inside, "insert into item values (4, 4)"));
      run(inside, "rollback", "insert into item values (5, 5)");
      run(had, "insert into item values (6, 6)");
    }
    cluster.awaitIn(2);
    assertThat(cluster.number("select sum(id) from item")).isEqualTo(11);
    cluster.assertAlike();
  }
}
