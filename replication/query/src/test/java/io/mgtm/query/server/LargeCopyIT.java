package io.mgtm.query.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.testing.Await;
import io.mgtm.testing.OwnAddress;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyManager;
import org.postgresql.copy.CopyOut;

/** A gigabyte through a replicator that is a process with less memory. */
@Tag("long")
class LargeCopyIT {
  private static final int ROWS = 1 << 20;
  private static final int NAME_BYTES = 1 << 10;
  private static final int STEP = 1 << 10;

  @TempDir private Path folder;
  private final HostPort address = new HostPort(OwnAddress.HOST, OwnAddress.port());
  private Cluster cluster;
  private Process process;

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
    // Of what is not on the heap there may be as much.
    command.addAll(1, List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"));
    cluster.servers.forEach(one -> command.add("--server=" + one.address));
    process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile())
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
  void itGoesInAndOut() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", "create table loaded (id int primary key, name text)");
    cluster.external = address;
    start();
    try (Connection alice = cluster.alice()) {
      CopyManager copying = alice.unwrap(PGConnection.class).getCopyAPI();
      assertThat(in(copying)).isEqualTo(ROWS);
      assertThat(cluster.number("select count(*) from loaded")).isEqualTo(ROWS);
      assertThat(cluster.number("select sum(hashtext(name || id)::int8) from loaded")).isNotZero();
      assertThat(out(copying)).isGreaterThan((long) ROWS * NAME_BYTES);
      alice.createStatement().executeUpdate("insert into loaded values (-1, 'goes on')");
    }
    assertThat(cluster.number("select count(*) from loaded")).isEqualTo(ROWS + 1);
    assertThat(Files.readString(folder.resolve("out"))).doesNotContain("OutOfMemory", " is out:");
    assertThat(process.isAlive()).isTrue();
  }

  private static long in(CopyManager copying) throws Exception {
    CopyIn in = copying.copyIn("copy loaded from stdin");
    String name = "\t" + "y".repeat(NAME_BYTES) + "\n";
    for (int i = 0; i < ROWS; i += STEP) {
      StringBuilder lines = new StringBuilder();
      for (int row = i; row < i + STEP; row++) {
        lines.append(row).append(name);
      }
      byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
      in.writeToCopy(bytes, 0, bytes.length);
    }
    return in.endCopy();
  }

  /** How many bytes came, in as many lines as there are rows. */
  private static long out(CopyManager copying) throws Exception {
    CopyOut out = copying.copyOut("copy loaded to stdout");
    long count = 0;
    long rows = 0;
    for (byte[] row = out.readFromCopy(); row != null; row = out.readFromCopy()) {
      count += row.length;
      rows++;
    }
    assertThat(rows).isEqualTo(ROWS);
    return count;
  }
}
