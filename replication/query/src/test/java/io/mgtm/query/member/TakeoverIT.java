package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Several replicators; the one that serves is killed, stands still or stops while clients write.
 */
class TakeoverIT {
  private static final int ROUNDS = Integer.getInteger("mgtm.rounds", 50);

  private static final String TABLES =
      Transfers.TABLES
          + """
          ;create table history (at timestamptz default clock_timestamp(), client int);
          create table counted (client int primary key, n bigint not null);
          create function counts() returns trigger language plpgsql as $$begin
            insert into counted values (new.client, 1)
              on conflict (client) do update set n = counted.n + 1; return null; end$$;
          create trigger counts after insert on history for each row execute function counts();
          create procedure move(c int, m int, a int, b int) language plpgsql as $$begin
            update account set balance = balance - 1 where id = a;
            begin
              update account set balance = 0 where id = b; raise division_by_zero;
            exception when division_by_zero then null; end;
            update account set balance = balance + 1 where id = b;
            insert into history (client) values (c);
            insert into move (client, number) values (c, m); end$$;
          """;

  @TempDir private Path folder;
  private Cluster cluster;
  private Replicators replicators;
  private Transfers transfers;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  private void start(int servers, int count) throws Exception {
    cluster = new Cluster(folder, servers, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    replicators = new Replicators(cluster, count);
    replicators.startAll();
    cluster.several = replicators.clients();
  }

  @AfterEach
  void stop() throws Exception {
    if (replicators != null) {
      replicators.close();
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void whatWasAcknowledgedOutlivesWhoeverLeads() throws Exception {
    start(2, 3);
    replicators.awaitWhole();
    Await.untilAsserted(
        "libpq to find the one that serves",
        () -> assertThat(replicators.psql("select count(*) from account").output()).contains("20"));
    Await.untilAsserted("what is seen of the group", this::assertSeen);
    transfers = new Transfers(cluster, 4, TakeoverIT::move);
    try {
      more();
      int killed = replicators.awaitServing();
      // Who connects again knows one address only, of one that follows.
      cluster.several = List.of(replicators.clients().get((killed + 1) % 3));
      replicators.kill(killed);
      more();
      replicators.start(killed);
      replicators.awaitWhole();
      cluster.several = replicators.clients();
      int stopped = replicators.awaitServing();
      replicators.pause(stopped);
      more();
      replicators.resume(stopped);
      replicators.awaitWhole();
      more();
      int ended = replicators.awaitServing();
      replicators.shutDown(ended);
      more();
      replicators.start(ended);
      replicators.awaitWhole();
      more();
    } finally {
      transfers.end();
      System.out.println("Pauses above 200 ms: " + transfers.pausesMs());
    }
    assertNothingLost();
  }

  /** And the replicator that was asked dies before the server that led is in again. */
  @Test
  void andServersThatArePromoted() throws Exception {
    start(2, 3);
    replicators.awaitWhole();
    transfers = new Transfers(cluster, 4, TakeoverIT::move);
    try {
      more();
      int serves = replicators.awaitServing();
      String promoted = serverThatFollows(serves);
      assertThat(promote(serves, promoted).path("leader").asText()).isEqualTo(promoted);
      more();
      replicators.awaitServersIn();
      String next = serverThatFollows(serves);
      assertThat(next).isNotEqualTo(promoted);
      assertThat(promote((serves + 1) % 3, next).path("error").asText())
          .contains("does not serve now");
      assertThat(promote(serves, next).path("leader").asText()).isEqualTo(next);
      // The one that led is out by now, and gets what it misses from another replicator.
      replicators.kill(serves);
      more();
      replicators.start(serves);
      replicators.awaitWhole();
      more();
    } finally {
      transfers.end();
    }
    assertNothingLost();
  }

  private String serverThatFollows(int serves) throws Exception {
    for (JsonNode server : replicators.ask(serves, "/servers")) {
      if (server.path("state").asText().equals("in")) {
        return server.path("server").asText();
      }
    }
    throw new AssertionError("no server is in but the leader");
  }

  private JsonNode promote(int at, String server) throws Exception {
    return replicators.ask(at, "/promote?server=" + server);
  }

  @Test
  @Tag("long")
  void andServersThatDieToo() throws Exception {
    long seed = Long.getLong("seed", 1);
    Random random = new Random(seed);
    start(3, 3);
    transfers = new Transfers(cluster, 4, TakeoverIT::move);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        more();
        disturb(random, random.nextInt(7));
        more();
        replicators.awaitWhole();
        replicators.awaitServersIn();
      }
    } finally {
      transfers.end();
      System.out.println("seed " + seed + ", pauses above 200 ms: " + transfers.pausesMs());
    }
    assertNothingLost();
  }

  @Test
  @Tag("long")
  void andAllServersAtOnce() throws Exception {
    start(2, 3);
    transfers = new Transfers(cluster, 2, TakeoverIT::move);
    int leader = replicators.awaitServing();
    try {
      more();
      for (Postgres server : cluster.servers) {
        server.kill();
      }
      replicators.kill(leader);
      Await.until(
          "one that cannot take over", () -> replicators.anySays("cannot take the servers over"));
      for (Postgres server : cluster.servers) {
        server.startAgain();
      }
      more();
      replicators.start(leader);
      replicators.awaitWhole();
    } finally {
      transfers.end();
    }
    assertNothingLost();
  }

  private void disturb(Random random, int how) throws Exception {
    int leader = replicators.awaitServing();
    int follower = (leader + 1 + random.nextInt(2)) % 3;
    Postgres server = cluster.servers.get(random.nextInt(cluster.servers.size()));
    switch (how) {
      case 0 -> {
        replicators.kill(leader);
        more();
        replicators.start(leader);
      }
      case 1 -> {
        replicators.pause(leader);
        more();
        replicators.resume(leader);
      }
      case 2 -> {
        replicators.kill(follower);
        replicators.loseData(follower);
        more();
        replicators.start(follower);
      }
      case 3 -> {
        server.kill();
        replicators.kill(leader);
        more();
        replicators.start(leader);
        server.startAgain();
      }
      case 4 -> {
        server.kill();
        more();
        server.startAgain();
        replicators.pause(leader);
        more();
        replicators.resume(leader);
      }
      case 5 -> {
        server.signal("STOP");
        try {
          more();
        } finally {
          server.signal("CONT");
        }
      }
      default -> {
        replicators.kill(leader);
        replicators.awaitServing();
        replicators.start(leader);
        replicators.awaitWhole();
        replicators.kill(replicators.awaitServing());
        more();
        for (int i = 0; i < 3; i++) {
          if (!replicators.runs(i)) {
            replicators.start(i);
          }
        }
      }
    }
  }

  /** Every second client by a procedure, whose rows are captured. */
  private static void move(Connection connection, int client, int number) throws SQLException {
    if (client % 2 == 0) {
      Transfers.move(connection, client, number);
      return;
    }
    int from = ThreadLocalRandom.current().nextInt(1, 20);
    int to = ThreadLocalRandom.current().nextInt(from + 1, 21);
    try (Statement statement = connection.createStatement()) {
      statement.execute("call move(%d, %d, %d, %d)".formatted(client, number, from, to));
    }
    if (!connection.getAutoCommit()) {
      connection.commit();
    }
  }

  private void more() {
    long before = transfers.done();
    Await.until("more moves", () -> transfers.done() > before + 40);
  }

  /** What clients and operators see of a group that is whole. */
  private void assertSeen() throws Exception {
    int leader = replicators.awaitServing();
    for (int i = 0; i < 3; i++) {
      JsonNode group = replicators.ask(i, "/status").path("group");
      assertThat(group.path("role").asText()).isEqualTo(i == leader ? "leader" : "follower");
      assertThat(group.path("leaderAddress").asText())
          .isEqualTo(replicators.clients().get(leader).toString());
      assertThat(replicators.ask(i, "/health").path("detail").asText())
          .isEqualTo(i == leader ? "leads" : "follows q" + (leader + 1));
    }
    int follower = (leader + 1) % 3;
    assertThat(replicators.command("status", "--at=" + replicators.admin(follower)).output())
        .contains("q" + (leader + 1) + " leads, at " + replicators.clients().get(leader))
        .contains("member q3 at ");
    assertThat(replicators.ask(follower, "/verify").path("error").asText())
        .contains("does not serve now; follows q" + (leader + 1));
    assertThat(replicators.ask(leader, "/remove-server?server=h:1").path("error").asText())
        .contains("is none of the servers");
  }

  private void assertNothingLost() throws Exception {
    replicators.awaitServersIn();
    int serves = replicators.awaitServing();
    assertThat(replicators.ask(serves, "/verify").path("rowsDifferent").asLong(-1)).isZero();
    cluster.assertNothingLost(transfers);
    long captured = cluster.number("select count(*) from move where client % 2 = 1");
    assertThat(cluster.number("select count(*) from history")).isEqualTo(captured);
    assertThat(cluster.number("select sum(n) from counted")).isEqualTo(captured);
    for (int i = 0; i < 3; i++) {
      // The log was enough to tell what is missing where.
      assertThat(Files.readString(replicators.out(i))).doesNotContain("rows are compared");
    }
  }
}
