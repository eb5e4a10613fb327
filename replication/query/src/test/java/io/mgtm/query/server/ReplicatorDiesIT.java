package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The replicator's process is killed while clients write, and started again. */
class ReplicatorDiesIT {
  private static final int ROUNDS_LONG = Integer.getInteger("mgtm.rounds", 6);

  @TempDir private Path folder;
  private final HostPort address = new HostPort(OwnAddress.HOST, OwnAddress.port());
  private Cluster cluster;
  private Process process;

  @BeforeAll
  static void need() {
    Tools.needPostgres();
  }

  @AfterEach
  void stop() throws Exception {
    if (process != null) {
      process.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
    }
    if (cluster != null) {
      cluster.close();
    }
  }

  private void start() throws Exception {
    Path password = folder.resolve("mgtm.password");
    Files.writeString(password, Postgres.PASSWORD + "\n");
    Path config = folder.resolve("query.yaml");
    Files.writeString(config, "role:\n  passwordFile: " + password + "\n");
    List<String> command =
        Replicators.query(
            "start",
            "--config=" + config,
            "--data=" + folder.resolve("state"),
            "--listen=" + address);
    cluster.servers.forEach(one -> command.addAll(List.of("--server", one.address.toString())));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("out").toFile()))
            .start();
    Await.until("the replicator to listen", this::listens);
  }

  private boolean listens() {
    assertThat(process.isAlive()).as("the replicator's process lives").isTrue();
    try (Socket socket = new Socket(address.host(), address.port())) {
      return socket.isConnected();
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void whatWasAcknowledgedIsAtAllServersAndNothingIsThereTwice() throws Exception {
    dies(1);
  }

  @Test
  @Tag("long")
  void norAfterManyDeaths() throws Exception {
    dies(ROUNDS_LONG);
  }

  private void dies(int rounds) throws Exception {
    cluster = new Cluster(folder, 2, "dtp", Transfers.TABLES);
    cluster.external = address;
    start();
    Transfers transfers = new Transfers(cluster, 4);
    try {
      for (int round = 0; round < rounds; round++) {
        long before = transfers.done();
        Await.until("more moves", () -> transfers.done() > before + 100);
        process.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
        start();
      }
      long before = transfers.done();
      Await.until("more moves", () -> transfers.done() > before + 100);
    } finally {
      transfers.end();
    }
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    // The log was enough to tell what is missing where.
    assertThat(Files.readString(folder.resolve("out"))).doesNotContain("rows are compared");
    cluster.external = null;
    cluster.startReplicator();
    cluster.assertMoved(transfers);
  }
}
