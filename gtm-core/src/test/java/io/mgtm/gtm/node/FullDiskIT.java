package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The data folder's disk is full, or may not be written. */
class FullDiskIT {
  /** With much to store, the log is full soon. */
  private static final int LONG_NAME_CHARS = 500;

  private static final String REFUSED = "ERROR\nthe GTM cannot store anything now: ";

  @TempDir Path folder;
  private Path mounted;

  private Path mountTmpfs(int mebibytes) throws Exception {
    Path point = Files.createDirectory(folder.resolve("disk"));
    String refusal = run("mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "mgtm", point);
    assumeThat(refusal).as("mounting a tmpfs needs root: %s", refusal).isEmpty();
    mounted = point;
    return point;
  }

  /** What the command complains of; empty when it succeeded. */
  private static String run(Object... words) throws IOException, InterruptedException {
    String[] command = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      command[i] = words[i].toString();
    }
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return e.getMessage();
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
    return process.exitValue() == 0 ? "" : output + " status " + process.exitValue();
  }

  @AfterEach
  void unmount() throws Exception {
    if (mounted != null) {
      // Lazily: this process holds mappings of the log until they are collected.
      assertThat(run("umount", "-l", mounted)).isEmpty();
    }
  }

  private static void fill(Path file) throws IOException {
    try (OutputStream out = Files.newOutputStream(file)) {
      byte[] piece = new byte[4_096];
      while (true) {
        out.write(piece);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  private static boolean isCreated(RawClient client, String sequence) throws IOException {
    RequestFrame create = RequestFrame.command(MessageType.SEQUENCE_INIT).key(sequence);
    return client.call(create.le64(1).le64(1).le64(9).le64(1).u8(0)).type() == 'S';
  }

  /** Works until the log has no room any more, not even for little; the error that tells so. */
  private static String workUntilRefused(RawClient client) throws IOException {
    String longName = "d." + "x".repeat(LONG_NAME_CHARS);
    for (int i = 0; isCreated(client, longName + i); i++) {
      assertThat(i).as("sequences on a disk of 8 MiB").isLessThan((8 << 20) / LONG_NAME_CHARS);
    }
    for (int i = 0; i < 200_000; i++) {
      RawClient.Frame begun = client.call(RawClient.beginFrame());
      if (begun.type() == 'E') {
        return begun.error();
      }
      RawClient.Frame ended = client.call(RawClient.commitFrame(begun.int32(0)));
      if (ended.type() == 'E') {
        return ended.error();
      }
    }
    throw new AssertionError("the disk did not become full");
  }

  @Test
  void aFullDiskRefusesWhatCannotBeStoredAndGoesOnWhenThereIsRoom() throws Exception {
    Path disk = mountTmpfs(8);
    try (TestGtm gtm = TestGtm.in(disk).withMetrics().checkpointBytes(256L << 20).start()) {
      RawClient client = gtm.backend();
      client.createSequence("d.s", 1, 1, 1_000_000, 1, false);
      long value = client.next("d.s");
      RawClient dies = gtm.backend();
      dies.begin();
      int prepared = dies.begin();
      dies.prepare(prepared, "P");
      Path ballast = disk.resolve("ballast");
      fill(ballast);
      // What it is refused may be a commit, so that its transaction stays open until it has gone.
      RawClient worker = gtm.backend();
      String error = workUntilRefused(worker);
      assertThat(error).startsWith(REFUSED).contains("free some space");
      assertThat(error)
          .endsWith("Free space on the disk of its data folder; it goes on by itself.");
      Await.until("health says so", () -> health(gtm).contains("\"status\":\"down\""));
      assertThat(health(gtm)).contains("left").contains("503");
      // Questions are answered, changes are not made.
      int open = client.openTransactions();
      int next = nextGxid(client);
      assertThat(client.call(RawClient.nextFrame("d.s")).error()).startsWith(REFUSED);
      assertThat(client.call(RawClient.beginFrame()).error()).startsWith(REFUSED);
      assertThat(client.call(RawClient.commitFrame(prepared)).error()).startsWith(REFUSED);
      assertThat(nextGxid(client)).isEqualTo(next);
      assertThat(client.openTransactions()).isEqualTo(open);
      RawClient late = gtm.connect().send(RequestFrame.startup("late", 3, false));
      assertThat(late.read().error()).startsWith("FATAL\nthe GTM cannot store anything now: ");
      assertThat(late.isClosedByServer()).isTrue();
      dies.close();
      worker.close();
      assertThat(client.openTransactions()).isGreaterThanOrEqualTo(1);
      Files.delete(ballast);
      Await.until("it goes on by itself", () -> begins(client));
      Await.until("health says so", () -> health(gtm).contains("\"status\":\"up\""));
      Await.until("what died meanwhile is cleaned", () -> open(client) == 1);
      assertThat(client.preparedTransactions()).isEqualTo(1);
      assertThat(client.next("d.s")).isEqualTo(value + 1);
      gtm.restart();
      RawClient again = gtm.backend();
      assertThat(again.next("d.s")).isEqualTo(value + 2);
      assertThat(again.preparedTransactions()).isEqualTo(1);
      assertThat(again.commit(prepared)).isTrue();
    }
  }

  @Test
  @Tag("long")
  void nothingIsLostWhenTheProcessDiesOnAFullDisk() throws Exception {
    Path disk = mountTmpfs(8);
    Path config = folder.resolve("gtm.yaml");
    Files.writeString(config, "log:\n  segmentBytes: 1048576\n");
    int last;
    try (ServerProcess server =
        ServerProcess.launch(folder, disk.resolve("data"), "--config", config.toString())) {
      RawClient client = server.awaitListening().backend();
      client.prepare(client.begin(), "P");
      fill(disk.resolve("ballast"));
      assertThat(workUntilRefused(client)).startsWith(REFUSED);
      last = nextGxid(client);
      server.kill();
      client.close();
    }
    try (ServerProcess refused =
        ServerProcess.launch(folder, disk.resolve("data"), "--config", config.toString())) {
      // There may be room for the restart's entry; if not, it says what is wrong.
      if (refused.startsListening()) {
        refused.kill();
      } else {
        assertThat(refused.awaitExit()).isEqualTo(1);
        assertThat(refused.errors()).contains("free some space");
      }
    }
    Files.delete(disk.resolve("ballast"));
    try (ServerProcess server =
        ServerProcess.launch(folder, disk.resolve("data"), "--config", config.toString())) {
      try (RawClient client = server.awaitListening().backend()) {
        assertThat(client.preparedTransactions()).isEqualTo(1);
        assertThat(client.begin() - last).isGreaterThanOrEqualTo(0);
      }
    }
  }

  @Test
  void aReadOnlyFolderIsSaidInOneLine() throws Exception {
    Path disk = mountTmpfs(40);
    Path data = disk.resolve("data");
    try (ServerProcess server = ServerProcess.launch(folder, data)) {
      server.awaitListening();
    }
    assertThat(run("mount", "-o", "remount,ro", disk)).isEmpty();
    try (ServerProcess server = ServerProcess.launch(folder, data)) {
      assertThat(server.startsListening()).isFalse();
      assertThat(server.awaitExit()).isEqualTo(1);
      String told = server.errors().lines().filter(l -> l.startsWith("mgtm: ")).toList().get(0);
      assertThat(server.errors().lines().filter(l -> l.contains("\tat "))).isEmpty();
      assertThat(told).contains(data.toString()).containsIgnoringCase("read-only");
    }
  }

  private static boolean begins(RawClient client) {
    try {
      RawClient.Frame begun = client.call(RawClient.beginFrame());
      return begun.type() == 'S' && client.commit(begun.int32(0));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static int open(RawClient client) {
    try {
      return client.openTransactions();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static int nextGxid(RawClient client) throws IOException {
    return client
        .call(RequestFrame.command(MessageType.TXN_GET_NEXT_GXID), ResultType.TXN_GET_NEXT_GXID)
        .bigInt32(0);
  }

  private static String health(TestGtm gtm) {
    try {
      var response = gtm.http("GET", "/health");
      return response.statusCode() + " " + response.body();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
