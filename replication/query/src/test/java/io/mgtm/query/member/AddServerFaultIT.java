package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What dies while a server is added: nothing is lost, and the command is repeated. */
@Tag("long")
class AddServerFaultIT {
  private static final String TABLES =
      Transfers.TABLES + ";create table kept (id int primary key); insert into kept values (1)";

  @TempDir private Path folder;
  private Cluster cluster;
  private Replicators replicators;
  private Transfers transfers;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
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

  private static CompletableFuture<String> add(HostPort admin, Postgres server) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return Tools.ask(admin, "/add-server?server=" + server.address).toString();
          } catch (Exception e) {
            throw new CompletionException(e);
          }
        });
  }

  private static String answer(CompletableFuture<String> of) throws Exception {
    return of.get(300, TimeUnit.SECONDS);
  }

  /** Holds up a copy of that server, until it is closed. */
  private static Connection holdUp(Postgres server) throws Exception {
    Connection holds = server.direct("app");
    holds.setAutoCommit(false);
    holds.createStatement().execute("lock table kept in access exclusive mode");
    return holds;
  }

  private static void awaitHeldUp(Postgres server) {
    Await.until(
        "the copy to be held up",
        () -> server.number("select count(*) from pg_locks where not granted") > 0);
  }

  private void more() {
    long before = transfers.done();
    Await.until("50 more moves", () -> transfers.done() > before + 50);
  }

  @Test
  void theServerThatIsCopiedOrTheNewOneDies() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
    Postgres source = cluster.servers.get(1);
    Postgres added = Postgres.blank(folder.resolve("added"));
    transfers = new Transfers(cluster, 3);
    try {
      HostPort admin = cluster.replicator.admin();
      try (Connection holds = holdUp(source)) {
        CompletableFuture<String> adding = add(admin, added);
        awaitHeldUp(source);
        assertThat(add(admin, added).get()).contains("being added already");
        assertThat(Tools.ask(admin, "/status").path("adding").asText())
            .isEqualTo(added.address + ": the database app is copied");
        more();
        source.kill();
        assertThat(answer(adding)).contains("pg_dump at " + source.address);
        assertThat(holds.isValid(5)).isFalse();
      }
      more();
      source.startAgain();
      Await.until("it to be back", () -> cluster.replicator.serversIn().size() == 2);
      try (Connection holds = holdUp(source)) {
        CompletableFuture<String> adding = add(admin, added);
        awaitHeldUp(source);
        added.kill();
        holds.rollback();
        assertThat(answer(adding)).contains("psql at " + added.address);
      }
      added.startAgain();
      assertThat(answer(add(admin, added))).contains("\"serversIn\":3");
      cluster.servers.add(added);
      more();
    } finally {
      transfers.end();
    }
    cluster.assertMoved(transfers);
  }

  /** What is written to each of the servers would be written to it twice. */
  @Test
  void aServerThatWasAwayIsNotLetInByTwoNames() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
    try (Connection alice = cluster.alice()) {
      alice.createStatement().execute("insert into kept values (2)");
    }
    HostPort admin = cluster.replicator.admin();
    Postgres other = cluster.servers.get(1);
    other.kill();
    Await.until("it to be out", () -> cluster.replicator.serversIn().size() == 1);
    other.startAgain();
    String[] host = other.address.host().split("\\.", -1);
    int last = Integer.parseInt(host[2]) * 256 + Integer.parseInt(host[3]);
    String name = "%s.%s.%d:%d".formatted(host[0], host[1], last, other.address.port());
    String added = Tools.ask(admin, "/add-server?server=" + name).toString();
    // It may have come back first.
    if (added.contains("serversIn")) {
      Await.until(
          "it to be known", () -> Tools.ask(admin, "/servers").toString().contains("another name"));
    } else {
      assertThat(added).contains("by another name");
    }
    assertThat(cluster.replicator.serversIn()).hasSize(2);
  }

  @Test
  void theReplicatorDiesAndAnotherAddsTheServer() throws Exception {
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    replicators = new Replicators(cluster, 3);
    replicators.startAll();
    replicators.awaitWhole();
    cluster.several = replicators.clients();
    Postgres source = cluster.servers.get(1);
    Postgres added = Postgres.blank(folder.resolve("added"));
    transfers = new Transfers(cluster, 3);
    try {
      int first = replicators.awaitServing();
      try (Connection holds = holdUp(source)) {
        CompletableFuture<String> adding = add(replicators.admin(first), added);
        awaitHeldUp(source);
        more();
        replicators.kill(first);
        assertThat(adding.handle((answer, cause) -> cause).get()).isNotNull();
        more();
        holds.rollback();
      }
      int second = replicators.awaitServing();
      assertThat(answer(add(replicators.admin(second), added))).contains("\"serversIn\":3");
      cluster.servers.add(added);
      more();
      replicators.start(first);
      replicators.awaitWhole();
      replicators.kill(replicators.awaitServing());
      more();
      replicators.awaitServersIn();
      more();
    } finally {
      transfers.end();
    }
    int serves = replicators.awaitServing();
    assertThat(replicators.ask(serves, "/verify").toString()).contains("\"rowsDifferent\":0,");
    cluster.assertNothingLost(transfers);
  }
}
