package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import io.mgtm.gtm.node.backup.BackupFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code backup} and {@code restore} as an operator sees them. */
class BackupCommandTest {
  @TempDir private static Path folder;
  @AutoClose private static GtmServer server;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void start() throws IOException {
    server = GtmServer.start(GtmConfig.at(folder.resolve("g"), new HostPort("127.0.0.1", 0)));
    try (GtmClient client = GtmClient.connect(server.address())) {
      for (int i = 0; i < 3_000; i++) {
        client.createSequence(GtmClient.sequenceKey("d.public.s" + i));
      }
    }
  }

  private int run(String... arguments) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  private int backup(Path to) {
    String at = "127.0.0.1:" + server.address().getPort();
    return run("backup", "--to", to.toString(), "--at", at);
  }

  private long unfinished() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.toString().endsWith(".tmp")).count();
    }
  }

  @Test
  void aBackupIsAFileThatRestores() throws Exception {
    Path file = folder.resolve("b1");
    assertThat(backup(file)).as(err.toString()).isZero();
    assertThat(out.toString()).contains(Files.size(file) + " bytes");
    assertThat(unfinished()).isZero();
    assertThat(BackupFile.open(file).bytes()).isGreaterThan(256 * 1024);
    Path data = folder.resolve("restored");
    assertThat(run("restore", "--from", file.toString(), "--data", data.toString())).isZero();
    assertThat(Files.readAllBytes(data.resolve("restore"))).isEqualTo(Files.readAllBytes(file));
    assertThat(backup(file)).isEqualTo(1);
    assertThat(err.toString()).contains("exists already");
  }

  @Test
  void aFullDiskIsToldAndLeavesNothing() throws Exception {
    Path file = folder.resolve("b2");
    Files.createSymbolicLink(folder.resolve("b2.tmp"), Path.of("/dev/full"));
    assertThat(backup(file)).isEqualTo(1);
    assertThat(err.toString())
        .contains("cannot write " + file + ": No space left on device")
        .doesNotContain("the node at");
    assertThat(file).doesNotExist();
    assertThat(unfinished()).isZero();
  }

  @Test
  void aRestoreThatSkipsWritesAnotherBackup() throws Exception {
    Path file = folder.resolve("b3");
    assertThat(backup(file)).isZero();
    Path data = folder.resolve("skipped");
    String[] skipping = {
      "restore", "--from", file.toString(), "--data", data.toString(), "--skip-gxids", "5000"
    };
    assertThat(run(skipping)).as(err.toString()).isZero();
    BackupFile placed = BackupFile.open(data.resolve("restore"));
    assertThat(placed.index()).isEqualTo(BackupFile.open(file).index());
    assertThat(Files.readAllBytes(data.resolve("restore"))).isNotEqualTo(Files.readAllBytes(file));
  }
}
