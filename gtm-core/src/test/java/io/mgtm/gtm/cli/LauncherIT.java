package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The launcher in a tree of its own, with a Maven and an apt-get that only act. */
class LauncherIT {
  private static final Path LAUNCHER = Path.of("..", "mgtm");
  private static final List<String> TOOLS =
      List.of(
          "bash",
          "dirname",
          "readlink",
          "find",
          "sort",
          "xargs",
          "cat",
          "awk",
          "sed",
          "rm",
          "flock",
          "touch",
          "mktemp",
          "tail",
          "tr",
          "cut",
          "cksum",
          "mv",
          "grep",
          "mkdir",
          "setpriv");

  @TempDir private Path root;
  @TempDir private Path outside;
  private Path bin;

  private record End(int status, List<String> lines) {
    String last() {
      return lines.get(lines.size() - 1);
    }
  }

  @BeforeEach
  void layTree() throws IOException {
    Assumptions.assumeTrue(
        Files.isExecutable(Path.of("/bin/bash")), "SKIPPED: there is no /bin/bash");
    Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.copy(LAUNCHER, root.resolve("mgtm"));
    Files.writeString(root.resolve("pom.xml"), "<project/>");
    Files.createDirectories(root.resolve("gtm-core/src/main"));
    Files.writeString(root.resolve("gtm-core/pom.xml"), "<project/>");
    Files.createDirectories(root.resolve("gtm-proxy/src/main"));
    Files.writeString(root.resolve("gtm-proxy/pom.xml"), "<project/>");
    bin = Files.createDirectory(root.resolve("bin"));
    for (String tool : TOOLS) {
      for (String folder : List.of("/usr/bin", "/bin")) {
        Path real = Path.of(folder, tool);
        if (Files.isExecutable(real) && !Files.exists(bin.resolve(tool))) {
          Files.createSymbolicLink(bin.resolve(tool), real);
        }
      }
    }
    tool("javac", "echo javac 17.0.1");
    tool("java", "echo \"java $*\"");
  }

  private void tool(String name, String script) throws IOException {
    Path file = bin.resolve(name);
    Files.writeString(file, "#!/bin/bash\n" + script + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private End run(List<String> prefix, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(prefix);
    command.addAll(List.of("/bin/bash", root.resolve("mgtm").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().put("PATH", bin.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new End(process.exitValue(), out.lines().toList());
  }

  private End run(String... arguments) throws IOException, InterruptedException {
    return run(List.of(), arguments);
  }

  private static void report(Path module, String kind, String name, String text)
      throws IOException {
    Path folder = Files.createDirectories(module.resolve("target").resolve(kind + "-reports"));
    Files.writeString(folder.resolve("TEST-" + name + ".xml"), text);
  }

  /** A Maven that leaves the reports of two modules. */
  private void mavenThatTests(int status) throws IOException {
    report(
        outside.resolve("kept"),
        "surefire",
        "A",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite xmlns:xsi="http://x" name="io.A" time="0.1" tests="5" errors="1" skipped="1" failures="1">
          <testcase name="works" classname="io.A" time="0.1"/>
          <testcase name="cannot" classname="io.A" time="0.1">
            <skipped message="Assumption failed: SKIPPED: there is no &quot;disk&quot; &amp; no &lt;net&gt;" type="x"><![CDATA[at]]></skipped>
          </testcase>
        </testsuite>
        """);
    report(
        outside.resolve("kept/deeper"),
        "failsafe",
        "B",
        """
        <testsuite name="io.B" tests="3" errors="0" skipped="1" failures="0">
          <testcase name="neither" classname="io.B" time="0.1">
            <skipped type="x"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: no device
            at io.B.neither(B.java:1)
            ]]></skipped>
          </testcase>
        </testsuite>
        """);
    tool(
        "mvn",
        "echo \"mvn $*\"; mv '%s' '%s'; exit %d"
            .formatted(outside.resolve("kept"), root.resolve("made"), status));
  }

  @Test
  void testsAreCountedOverAllModulesAndSkipsExplained() throws Exception {
    report(
        root.resolve("old"),
        "surefire",
        "Z",
        "<testsuite tests=\"100\" errors=\"0\" skipped=\"0\" failures=\"9\"/>\n");
    mavenThatTests(1);
    End end = run("test");
    assertThat(end.last()).isEqualTo("4 passed, 2 failed, 2 skipped");
    assertThat(end.lines())
        .contains(
            "mvn -B -ntp -Dstyle.color=never -fae verify",
            "SKIPPED io.A.cannot: there is no \"disk\" & no <net>",
            "SKIPPED io.B.neither: no device");
    assertThat(end.status()).isOne();
  }

  @Test
  void aBuildThatWentWellEndsWell() throws Exception {
    mavenThatTests(0);
    assertThat(run("test").status()).isZero();
  }

  @Test
  void aJarIsBuiltOnceAndRun() throws Exception {
    tool(
        "mvn",
        "echo \"mvn $*\"; mkdir -p gtm-core/target; echo jar > gtm-core/target/mgtm-gtm.jar");
    End first = run("gtm", "status");
    assertThat(first.lines())
        .anyMatch(line -> line.startsWith("mvn -B -ntp -Dstyle.color=never -q -pl gtm-core -am"));
    assertThat(first.last())
        .startsWith("java -XX:+UseSerialGC")
        .endsWith("-jar " + root.toRealPath().resolve("gtm-core/target/mgtm-gtm.jar") + " status");
    End second = run("gtm", "nodes");
    assertThat(second.lines()).noneMatch(line -> line.startsWith("mvn"));
    assertThat(second.last()).endsWith(" nodes");
  }

  @Test
  void upRunsAnInstallationWithItsDataInTheTree() throws Exception {
    tool(
        "mvn",
        "echo \"mvn $*\"; mkdir -p gtm-proxy/target; echo jar > gtm-proxy/target/mgtm-proxy.jar");
    Path tree = root.toRealPath();
    assertThat(run("up", "--nodes", "5").last())
        .startsWith("java -XX:+UseSerialGC")
        .endsWith(
            " -cp %s/gtm-proxy/target/mgtm-proxy.jar io.mgtm.proxy.local.UpCommand --data %s/data --nodes 5"
                .formatted(tree, tree));
  }

  @Test
  void aBuildThatFailsEndsWithStatus1() throws Exception {
    tool("mvn", "exit 3");
    End end = run("gtm", "status");
    assertThat(end.last()).isEqualTo("mgtm: the build failed: see above");
    assertThat(end.status()).isOne();
  }

  @Test
  void missingPackagesAreInstalledByRoot() throws Exception {
    Files.delete(bin.resolve("javac"));
    Path log = root.resolve("apt.log");
    tool("apt-get", "echo \"$*\" >> '" + log + "'; exit 7");
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")), "SKIPPED: this user is not root");
    End end = run("gtm", "status");
    assertThat(end.lines()).contains("mgtm: installing with apt-get: default-jdk-headless maven");
    assertThat(end.last()).isEqualTo("mgtm: apt-get could not install: default-jdk-headless maven");
    assertThat(Files.readString(log)).contains("update");
    assertThat(end.status()).isOne();
  }

  @Test
  void anybodyElseIsToldTheLineToRun() throws Exception {
    Files.delete(bin.resolve("javac"));
    tool("apt-get", "echo must not run; exit 7");
    boolean root = "root".equals(System.getProperty("user.name"));
    Assumptions.assumeTrue(
        !root || Files.exists(bin.resolve("setpriv")), "SKIPPED: there is no setpriv");
    List<String> asNobody =
        root
            ? List.of("/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
            : List.of();
    End end = run(asNobody, "up");
    assertThat(end.last())
        .isEqualTo(
            "sudo apt-get update && sudo apt-get install -y --no-install-recommends"
                + " default-jdk-headless maven");
    assertThat(end.lines()).hasSize(2);
    assertThat(end.status()).isOne();
  }

  @Test
  void whatIsNotThereIsSaid() throws Exception {
    assertThat(run("ha").last())
        .isEqualTo("mgtm: this version has no ha: there is no module ha-controller");
    assertThat(run("frobnicate").last()).isEqualTo("mgtm: there is no command \"frobnicate\"");
    assertThat(run("frobnicate").status()).isOne();
    assertThat(run("help").status()).isZero();
  }
}
