package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.client.GtmClient;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.GtmServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code backup --from-data} of a GTM without a group, and what it refuses. */
class FolderBackupTest {
  private static final String KEY = GtmClient.sequenceKey("d.public.s");

  @TempDir private Path folder;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private Path data() {
    return folder.resolve("g");
  }

  private Path file() {
    return folder.resolve("b1");
  }

  private GtmServer server(Path data) throws IOException {
    return GtmServer.start(GtmConfig.at(data, new HostPort("127.0.0.1", 0)));
  }

  /** A folder that someone worked with; the gxid and the value that were given last. */
  private long[] worked() throws IOException {
    try (GtmServer server = server(data());
        GtmClient client = GtmClient.connect(server.address())) {
      client.createSequence(KEY);
      client.nextValue(KEY);
      return new long[] {client.begin(), client.nextValue(KEY)};
    }
  }

  private int run(String... arguments) {
    CommandLine line = GtmMain.commandLine();
    line.setOut(new PrintWriter(out));
    line.setErr(new PrintWriter(err));
    return line.execute(arguments);
  }

  private int backup(Path from, Path to) {
    return run("backup", "--from-data", from.toString(), "--to", to.toString());
  }

  private void refused(Path from, Path to, String says) throws IOException {
    FolderBytes before = FolderBytes.of(folder);
    FolderBytes data = Files.isDirectory(data()) ? FolderBytes.of(data()) : null;
    assertThat(backup(from, to)).isEqualTo(1);
    assertThat(err.toString()).contains(says).doesNotContain("--mode");
    assertThat(FolderBytes.of(folder)).isEqualTo(before);
    assertThat(FolderBytes.names(folder)).allMatch(name -> !name.contains(".tmp"));
    if (data != null) {
      assertThat(FolderBytes.of(data())).isEqualTo(data);
    }
  }

  @Test
  void aStoppedGtmsFolderIsRestored() throws IOException {
    long[] last = worked();
    Files.writeString(data().resolve("lock"), "1, started by another process");
    FolderBytes before = FolderBytes.of(data());
    // What a run that was killed has left.
    Files.createDirectory(folder.resolve("b1.tmp-folder"));
    Files.writeString(folder.resolve("b1.tmp-folder").resolve("format"), "x");
    assertThat(backup(data(), file())).as(err.toString()).isZero();
    assertThat(out.toString())
        .endsWith(Files.size(file()) + " bytes\n")
        .startsWith(file() + " holds the state at entry ");
    assertThat(FolderBytes.of(data())).isEqualTo(before);
    assertThat(FolderBytes.names(folder)).containsExactlyInAnyOrder("g", "b1");
    Path restored = folder.resolve("restored");
    assertThat(run("restore", "--from", file().toString(), "--data", restored.toString())).isZero();
    try (GtmServer server = server(restored);
        GtmClient client = GtmClient.connect(server.address())) {
      assertThat(client.begin()).isGreaterThan((int) last[0]);
      assertThat(client.nextValue(KEY)).isGreaterThan(last[1]);
    }
  }

  @Test
  void theFolderOfARunningGtmIsRefused() throws IOException {
    try (GtmServer server = server(data())) {
      assertThat(server.address()).isNotNull();
      assertThat(backup(data(), file())).isEqualTo(1);
      assertThat(err.toString()).contains("belongs to").contains("stop it");
      assertThat(file()).doesNotExist();
    }
  }

  @Test
  void oneThatWasKilledMayLackEntries() throws IOException {
    Path killed = Files.createDirectory(folder.resolve("killed"));
    try (GtmServer server = server(data());
        GtmClient client = GtmClient.connect(server.address())) {
      client.begin();
      for (String name : FolderBytes.names(data())) {
        if (!name.endsWith(".tmp") && !name.equals("mgtm.sock")) {
          Files.copy(data().resolve(name), killed.resolve(name));
        }
      }
    }
    assertThat(backup(killed, file())).as(err.toString()).isZero();
    assertThat(out.toString()).contains("may also lack the last").doesNotContain("other members");
  }

  @Test
  void whatIsNoFolderOfAMemberIsRefused() throws IOException {
    refused(folder.resolve("none"), file(), "none: there is no such file or folder");
    Files.createDirectory(data());
    refused(data(), file(), "so it is not an mgtm data folder");
    Path plain = Files.writeString(folder.resolve("plain"), "x");
    refused(plain, file(), "plain holds no file \"format\", so it is not an mgtm data");
  }

  @Test
  void aFolderThatNobodyWasStartedOnIsRefused() throws IOException {
    worked();
    assertThat(backup(data(), file())).isZero();
    Path placed = folder.resolve("placed");
    assertThat(run("restore", "--from", file().toString(), "--data", placed.toString())).isZero();
    refused(placed, folder.resolve("b2"), "start and stop the node on it once");
  }

  @Test
  void aDamagedLogIsRefusedAsAStartRefusesIt() throws IOException {
    worked();
    Path log =
        data()
            .resolve(
                FolderBytes.names(data()).stream()
                    .filter(name -> name.startsWith("log-"))
                    .sorted()
                    .findFirst()
                    .orElseThrow());
    byte[] bytes = Files.readAllBytes(log);
    bytes[150] ^= 1;
    Files.write(log, bytes);
    refused(data(), file(), "acknowledged entries are damaged and nothing was changed");
    Throwable start = catchThrowable(() -> server(data()));
    assertThat(err.toString()).isEqualTo("mgtm: " + start.getMessage() + "\n");
  }

  /** As at the end of a log whose last leader had not yet heard its gateways. */
  @Test
  void modeLazyIsKnownAlsoWhereEntriesAreMissing() {
    FolderBackup.ModeWatch machine = new FolderBackup.ModeWatch();
    machine.entriesMayBeMissing(1, false);
    assertThat(machine.isLazy()).isFalse();
    machine.state().beginEntry(1);
    machine.state().apply(new SessionCommand.ServeTerm(1, "g1"));
    machine.entriesMayBeMissing(2, false);
    assertThat(machine.state().served().term()).isZero();
    machine.entriesMayBeMissing(3, false);
    assertThat(machine.isLazy()).isTrue();
  }

  @Test
  void noFileIsWrittenOverNorIntoTheFolder() throws IOException {
    worked();
    refused(data(), data().resolve("b1"), "is in the folder that is read");
    Files.writeString(file(), "x");
    refused(data(), file(), "exists already");
  }

  @Test
  void aFolderAndAnAddressTogetherAreRefused() {
    String[] both = {"backup", "--from-data", "d", "--to", "b", "--at", "127.0.0.1:6666"};
    assertThat(run(both)).isEqualTo(1);
    assertThat(err.toString())
        .contains("--at is of a GTM that runs, and --from-data of one that is stopped");
    assertThat(run("backup", "--to", "b", "--mode", "lazy")).isEqualTo(1);
    assertThat(err.toString()).contains("--mode is said with --from-data only");
  }
}
