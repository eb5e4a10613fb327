package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.Cli;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * What an operator can mend is told in one line, with what to do, and status 1. Most are asked of
 * the command in this process; the jar does the same, as two of them show.
 */
class StartErrorsIT {
  private static final String ANY_PORT = "127.0.0.1:0";

  @TempDir private Path scratch;

  private String[] start(String... arguments) {
    List<String> all = new ArrayList<>(List.of("start", "--data", scratch.resolve("d").toString()));
    all.addAll(List.of(arguments));
    return all.toArray(String[]::new);
  }

  private void assertRefused(String message, String... arguments) {
    StringWriter err = new StringWriter();
    CommandLine line = GtmMain.commandLine();
    line.setErr(new PrintWriter(err));
    assertThat(Cli.run(line, start(arguments))).isOne();
    assertThat(err.toString().lines()).hasSize(1);
    assertThat(err.toString()).startsWith("mgtm: ").contains(message);
  }

  private static void assertEnds(String message, JarProcess process)
      throws IOException, InterruptedException {
    try (process) {
      JarProcess.End end = process.end();
      assertThat(end.messages()).hasSize(1);
      assertThat(end.messages().get(0)).startsWith("mgtm: ").contains(message);
      assertThat(end.status()).isOne();
    }
  }

  private Path config(String text) throws IOException {
    return Files.writeString(scratch.resolve("gtm.yaml"), text);
  }

  @Test
  void aPortThatIsTaken() throws Exception {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String taken = "127.0.0.1:" + other.getLocalPort();
      assertEnds(
          "cannot listen on "
              + taken
              + ": another process listens there; stop it, or choose another port with --listen",
          JarProcess.start(scratch, start("--listen", taken)));
      assertThat(scratch.resolve("d")).as("nothing was begun").doesNotExist();
      assertRefused(
          "another process listens there; stop it, or choose another port with --metrics",
          "--listen",
          ANY_PORT,
          "--metrics",
          taken);
      assertRefused(
          "another process listens there; stop it, or choose another port with group.members",
          "--listen",
          ANY_PORT,
          "--name",
          "g1",
          "--members",
          "g1=%s,g2=127.0.0.1:1,g3=127.0.0.1:2".formatted(taken));
      assertThat(scratch.resolve("d")).as("nothing was begun").doesNotExist();
    }
  }

  @Test
  void aDataFolderThatARunningGtmOwns() throws Exception {
    String folder = scratch.resolve("d").toString();
    try (JarProcess first =
        JarProcess.start(scratch, "start", "--data", folder, "--listen", ANY_PORT)) {
      assertThat(first.firstLine()).startsWith("GTM listening on 127.0.0.1:");
      assertRefused("stop it or choose another folder", "--listen", ANY_PORT);
      first.terminate();
      assertThat(first.end().status()).isEqualTo(143);
    }
  }

  @Test
  void aDataFolderOfANewerFormat() throws Exception {
    Path folder = Files.createDirectory(scratch.resolve("d"));
    Files.writeString(
        folder.resolve("format"),
        "mgtm data folder\nversion=99\nmember=7c9e6679-7425-40de-944b-e07fc1f90ae7\n");
    assertRefused(
        "says data version 99 and this program reads versions 1 to 2; start the newer program",
        "--listen",
        ANY_PORT);
  }

  @Test
  void aDataFolderOfSomethingElse() throws Exception {
    Path folder = Files.createDirectory(scratch.resolve("d"));
    Files.writeString(folder.resolve("PG_VERSION"), "9.3\n");
    assertRefused("choose an empty or new folder", "--listen", ANY_PORT);
  }

  @Test
  void aDataFolderThatIsAFile() throws Exception {
    Files.writeString(scratch.resolve("d"), "");
    assertRefused("is a file; choose a folder for the data", "--listen", ANY_PORT);
  }

  @Test
  void aDataFolderThatCannotBeWritten() throws Exception {
    Files.setPosixFilePermissions(scratch, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path folder = Files.createDirectory(scratch.resolve("d"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("r-xr-xr-x"));
    // As root any folder can be written, so there the jar runs as somebody else.
    Path jar = Files.copy(JarProcess.JAR, scratch.resolve("gtm.jar"));
    Files.setPosixFilePermissions(jar, PosixFilePermissions.fromString("r--r--r--"));
    List<String> command = new ArrayList<>();
    if (Files.isWritable(folder)) {
      Path setpriv = Path.of("/usr/bin/setpriv");
      Assumptions.assumeTrue(
          Files.isExecutable(setpriv), "SKIPPED: this is root, and there is no " + setpriv);
      command.addAll(
          List.of(setpriv.toString(), "--reuid=65534", "--regid=65534", "--clear-groups"));
    }
    command.addAll(
        List.of(
            JarProcess.java(),
            "-jar",
            jar.toString(),
            "start",
            "--listen",
            ANY_PORT,
            "--data",
            folder.toString()));
    assertEnds(
        "permission denied; give this user read and write access to the folder, or choose another",
        JarProcess.launch(scratch, command));
  }

  @Test
  void aConfigurationFileThatIsNotThere() throws Exception {
    assertRefused(
        "there is no configuration file /nowhere/gtm.yaml", "--config", "/nowhere/gtm.yaml");
    assertRefused(
        "/dev/zero: no configuration file, it has more than 1 MiB", "--config", "/dev/zero");
  }

  @Test
  void aConfigurationThatIsWrong() throws Exception {
    assertRefused(
        "unknown key connexionsMax, expected one of: access, data, durability",
        "--config",
        config("connexionsMax: 5\n").toString());
    assertRefused(
        "limits.nodesMax: 0 is not allowed, expected 1 to 100000",
        "--config",
        config("limits: {nodesMax: 0}\n").toString());
  }

  @Test
  void anArgumentThatIsWrong() throws Exception {
    assertRefused(
        "Invalid value for option '--listen': \"6666\" is no address: expected HOST:PORT",
        "--listen",
        "6666");
    assertRefused("expected one of [CRITICAL, ALL]", "--durability", "most");
    assertRefused("mode is \"most\"; fifo, ", "--mode", "most");
    assertRefused("unknown argument --listne", "--listne", "127.0.0.1:1");
  }

  @Test
  void anAddressThatIsNotOfThisMachine() throws Exception {
    assertRefused("it is no address of this machine", "--listen", "192.0.2.1:7777");
    assertRefused(
        "cannot listen on no.such.host.invalid:7777: the host name is not known",
        "--listen",
        "no.such.host.invalid:7777");
    assertRefused(
        "the host name is not known; choose an address of this machine with --metrics",
        "--listen",
        ANY_PORT,
        "--metrics",
        "no.such.host.invalid:7777");
  }

  @Test
  void anImportIntoAFolderThatIsNotNew() throws Exception {
    Path control = Files.writeString(scratch.resolve("gtm.control"), "10000\n");
    String folder = scratch.resolve("d").toString();
    try (JarProcess first =
        JarProcess.start(scratch, "start", "--data", folder, "--listen", ANY_PORT)) {
      assertThat(first.firstLine()).startsWith("GTM listening");
      first.terminate();
      first.end();
    }
    assertRefused(
        "is not empty, and a backup or import fills a new folder only",
        "--listen",
        ANY_PORT,
        "--import-control",
        control.toString());
  }

  @Test
  void anImportOfSomethingElse() throws Exception {
    Path control = Files.writeString(scratch.resolve("gtm.control"), "no number\n");
    assertRefused(
        "the first line is not the next gxid; take the gtm.control of a stopped GTM",
        "--listen",
        ANY_PORT,
        "--import-control",
        control.toString());
  }
}
