package io.mgtm.query.member;

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

/** One replicator without a group, a process of its own, before the servers of a cluster. */
final class LoneReplicator {
  private final Cluster cluster;
  private final HostPort address = new HostPort(OwnAddress.HOST, OwnAddress.port());
  private final List<String> javaOptions;
  private Process process;

  /** One that does not run yet; the cluster's clients connect to it. */
  LoneReplicator(Cluster cluster, String... javaOptions) {
    this.cluster = cluster;
    this.javaOptions = List.of(javaOptions);
    cluster.external = address;
  }

  /** Starts it, again on what it has kept, and waits until it listens. */
  void start() throws IOException {
    Path password = cluster.folder.resolve("mgtm.password");
    Files.writeString(password, Postgres.PASSWORD + "\n");
    Path config = cluster.folder.resolve("query.yaml");
    Files.writeString(config, "role:\n  passwordFile: " + password + "\n");
    List<String> command =
        Replicators.query(
            "start",
            "--config=" + config,
            "--data=" + cluster.folder.resolve("state"),
            "--listen=" + address);
    command.addAll(1, javaOptions);
    cluster.servers.forEach(one -> command.add("--server=" + one.address));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(out().toFile()))
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

  private Path out() {
    return cluster.folder.resolve("out");
  }

  /** All that it has printed. */
  String said() throws IOException {
    return Files.readString(out());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(60, TimeUnit.SECONDS);
  }

  /** Asks it to stop, and waits until it has. */
  void shutDown() throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
  }

  void close() throws InterruptedException {
    if (process != null) {
      kill();
    }
  }
}
