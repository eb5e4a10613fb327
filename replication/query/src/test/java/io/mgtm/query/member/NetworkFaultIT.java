package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.mgtm.testing.Await;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Servers, and the replicator that serves, are cut off by the network while clients write. */
@Tag("long")
class NetworkFaultIT {
  private static final int REPLICATORS = 3;
  private static final int SERVERS = 2;
  private static final int SOME = 60;

  @TempDir private Path folder;
  private QueryNetwork network;
  private Cluster cluster;
  private Replicators replicators;
  private Transfers transfers;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  private void start() throws Exception {
    network = new QueryNetwork(folder, REPLICATORS, SERVERS);
    cluster = new Cluster(folder, network.serverHosts(), "dtp", Transfers.TABLES);
    replicators = new Replicators(cluster, network);
    replicators.startAll();
    replicators.awaitWhole();
    cluster.several = replicators.clients();
    transfers = new Transfers(cluster, 4);
  }

  @AfterEach
  void stop() throws Exception {
    if (transfers != null) {
      transfers.end();
    }
    if (replicators != null) {
      replicators.close();
    }
    if (cluster != null) {
      cluster.close();
    }
    if (network != null) {
      network.close();
    }
  }

  private void more() {
    long before = transfers.done();
    Await.until("more moves", () -> transfers.done() >= before + SOME);
  }

  private int serversIn() throws Exception {
    return replicators.ask(replicators.awaitServing(), "/status").path("serversIn").asInt();
  }

  /** First the one that follows, then the one that leads. */
  @Test
  void serversAreCutOff() throws Exception {
    start();
    for (int server : new int[] {1, 0}) {
      more();
      network.cutServer(server);
      Await.until("one server to be in", () -> serversIn() == 1);
      more();
      network.healServer(server);
      replicators.awaitServersIn();
    }
    more();
    assertNothingLost();
    // Clients wait for as long as a server may be silent, and some a little less.
    assertThat(transfers.told()).allMatch(told -> told.matches("(40001|57P01|08...|23505) .*"));
  }

  @Test
  void whoServesIsCutOffFromAll() throws Exception {
    start();
    more();
    int serves = replicators.awaitServing();
    network.cutReplicator(serves);
    replicators.setReachable(serves, false);
    assertThat(replicators.awaitServing()).isNotEqualTo(serves);
    more();
    network.healReplicator(serves);
    replicators.setReachable(serves, true);
    replicators.awaitWhole();
    more();
    assertNothingLost();
  }

  /** It reaches clients and servers, which it must not write to any more. */
  @Test
  void whoServesIsCutOffFromTheOtherReplicators() throws Exception {
    start();
    more();
    int serves = replicators.awaitServing();
    network.cutFromOthers(serves);
    Await.until(
        "another one to serve",
        () -> {
          int now = replicators.serving();
          return now >= 0 && now != serves;
        });
    more();
    network.healAmongReplicators();
    replicators.awaitWhole();
    more();
    assertNothingLost();
  }

  private void assertNothingLost() throws Exception {
    transfers.end();
    System.out.println(
        "Pauses above 200 ms: " + transfers.pausesMs() + "; told: " + transfers.told());
    replicators.awaitServersIn();
    JsonNode verified = replicators.ask(replicators.awaitServing(), "/verify");
    assertThat(verified.path("rowsDifferent").asLong(-1)).as("%s", verified).isZero();
    cluster.assertNothingLost(transfers);
  }
}
