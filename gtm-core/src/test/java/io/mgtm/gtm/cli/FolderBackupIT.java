package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.group.GroupMode;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.node.TestNodes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

/** What is left of a group when two of three folders are lost for good. */
class FolderBackupIT {
  private static final List<String> NAMES = List.of("g1", "g2", "g3");
  private static final String KEY = GtmClient.sequenceKey("d.public.s");
  private static final String SKIPPED = "1000000";

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private int highestGxid;
  private long highestValue;
  private int prepared;

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  private int backup(Path data, Path to, String mode) {
    List<String> all =
        new ArrayList<>(List.of("backup", "--from-data", data.toString(), "--to", to.toString()));
    if (!mode.isEmpty()) {
      all.addAll(List.of("--mode", mode));
    }
    return run(all.toArray(String[]::new));
  }

  private static GtmClient client(GtmServer of) throws IOException {
    return GtmClient.connect(of.address());
  }

  private void work(GtmClient client, String gid) throws IOException {
    for (int i = 0; i < 20; i++) {
      highestGxid = client.begin();
      client.commit(highestGxid);
      highestValue = client.nextValue(KEY);
    }
    // Last: gxids and values are reserved ahead, and so would not show that entries are missing.
    prepared = client.begin();
    client.startPrepare(prepared, gid, "d1");
    client.prepare(prepared);
  }

  /** Lets a follower have all, stops everyone, and removes the folders of the others. */
  private Path survivor(TestNodes nodes, Path of, boolean inOrder) throws IOException {
    String left = nodes.follower();
    nodes.awaitInStep(left);
    if (inOrder) {
      nodes.stop(left);
    }
    nodes.close();
    for (String name : NAMES) {
      if (!name.equals(left)) {
        FolderBytes.delete(of.resolve(name));
      }
    }
    return of.resolve(left);
  }

  private void restoreAll(Path backup, Path to) {
    for (String name : NAMES) {
      Path data = to.resolve(name);
      assertThat(
              run(
                  "restore",
                  "--from",
                  backup.toString(),
                  "--data",
                  data.toString(),
                  "--skip-gxids",
                  SKIPPED))
          .as(err.toString())
          .isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"FIFO, false", "FIFO, true", "LAZY, false", "TOTAL, true"})
  void aNewGroupGoesOnBehindAllThatTheSurvivorKnew(GroupMode mode, boolean inOrder)
      throws IOException {
    Path first = folder.resolve("first");
    Path second = folder.resolve("second");
    String said = mode == GroupMode.FIFO ? "" : mode.label();
    Path left;
    try (TestNodes nodes = TestNodes.three(first, mode).startAll()) {
      try (GtmClient client = client(nodes.server(nodes.leader()))) {
        client.createSequence(KEY);
        work(client, "T1");
      }
      left = survivor(nodes, first, inOrder);
    }
    Path file = folder.resolve("b1");
    Files.writeString(left.resolve("lock"), "1, started by another process");
    FolderBytes before = FolderBytes.of(left);
    assertThat(backup(left, file, said)).as(err.toString()).isZero();
    assertThat(FolderBytes.of(left)).isEqualTo(before);
    assertThat(out.toString())
        .contains(file + " holds the state at entry ")
        .contains(Files.size(file) + " bytes. What only the other members had acknowledged")
        .contains("--skip-gxids");
    assertThat(FolderBytes.names(folder)).containsExactlyInAnyOrder("first", "b1");

    restoreAll(file, second);
    int firstPrepared = prepared;
    try (TestNodes nodes = TestNodes.three(second, mode).startAll()) {
      try (GtmClient client = client(nodes.server(nodes.leader()))) {
        assertThat(client.nextGxid()).isGreaterThan(highestGxid + Integer.parseInt(SKIPPED));
        assertThat(client.nextValue(KEY)).isGreaterThan(highestValue);
        assertThat(client.preparedTransactions())
            .anyMatch(t -> t.gid().equals("T1") && t.gxid() == firstPrepared);
        work(client, "T2");
      }
      left = survivor(nodes, second, inOrder);
    }
    assertThat(backup(left, folder.resolve("b2"), said)).as(err.toString()).isZero();
    Path third = folder.resolve("third");
    restoreAll(folder.resolve("b2"), third);
    try (TestNodes nodes = TestNodes.three(third, mode).startAll();
        GtmClient client = client(nodes.server(nodes.leader()))) {
      assertThat(client.nextGxid()).isGreaterThan(highestGxid);
      assertThat(client.nextValue(KEY)).isGreaterThan(highestValue);
      assertThat(client.preparedTransactions())
          .anyMatch(t -> t.gid().equals("T1") && t.gxid() == firstPrepared)
          .anyMatch(t -> t.gid().equals("T2") && t.gxid() == prepared);
    }
  }

  @ParameterizedTest
  @CsvSource({"LAZY", "TOTAL"})
  void aModeThatMustBeSaidIsAskedFor(GroupMode mode) throws IOException {
    Path left;
    try (TestNodes nodes = TestNodes.three(folder, mode).startAll()) {
      try (GtmClient client = client(nodes.server(nodes.leader()))) {
        client.begin();
      }
      left = survivor(nodes, folder, false);
    }
    assertThat(backup(left, folder.resolve("b1"), "")).isEqualTo(1);
    assertThat(err.toString()).contains("say --mode " + mode.label()).doesNotContain("newer");
    assertThat(folder.resolve("b1")).doesNotExist();
    assertThat(FolderBytes.names(folder)).containsExactly(left.getFileName().toString());
  }

  @Test
  void theFolderOfAWitnessIsRefused() throws IOException {
    try (TestNodes nodes = TestNodes.pairWithWitness(folder, GroupMode.FIFO).startAll()) {
      nodes.leader();
    }
    Path witness = folder.resolve("g3");
    FolderBytes before = FolderBytes.of(witness);
    assertThat(backup(witness, folder.resolve("b1"), "")).isEqualTo(1);
    assertThat(err.toString()).contains("is that of a witness, which keeps no data");
    assertThat(FolderBytes.of(witness)).isEqualTo(before);
    assertThat(FolderBytes.names(folder)).doesNotContain("b1");
  }
}
