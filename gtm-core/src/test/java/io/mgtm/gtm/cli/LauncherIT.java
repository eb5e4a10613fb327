package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
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
  private static final Path ARCHIVER = Path.of("..", "config", "class-archive");
  private static final Path OPTIONS = Path.of("..", "config", "java-options");
  private static final List<String> TOOLS =
      List.of(
          ("bash dirname readlink find sort xargs cat awk sed rm flock touch mktemp "
                  + "tail tr cut cksum mv grep mkdir sleep tee wc basename head stat setpriv")
              .split(" "));

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
    Files.createDirectory(root.resolve("config"));
    Files.copy(ARCHIVER, root.resolve("config/class-archive"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.copy(OPTIONS, root.resolve("config/java-options"));
    Files.writeString(
        root.resolve("pom.xml"),
        """
        <project>
          <version>9.9.9</version>
          <modules>
            <module>gtm-core</module>
            <module>gtm-proxy</module>
          </modules>
        </project>
        """);
    layModule("gtm-core");
    layModule("gtm-proxy");
    Files.writeString(root.resolve("gtm-core/src/test/ATest.java"), "class ATest { @Test }");
    Files.writeString(root.resolve("gtm-proxy/src/test/BIT.java"), "class BIT { @Test }");
    Files.writeString(
        root.resolve("gtm-proxy/src/test/SlowIT.java"), "@Tag(\"long\")\nclass SlowIT { @Test }");
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

  private void layModule(String module) throws IOException {
    Files.createDirectories(root.resolve(module).resolve("src/main"));
    Files.createDirectories(root.resolve(module).resolve("src/test"));
    Files.writeString(
        root.resolve(module).resolve("pom.xml"),
        """
        <project>
          <parent>
          </parent>
          <artifactId>mgtm-%s</artifactId>
        </project>
        """
            .formatted(module));
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
    assertThat(process.waitFor(180, TimeUnit.SECONDS)).isTrue();
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
  private void mavenThatTests() throws IOException {
    report(
        outside.resolve("gtm-core"),
        "surefire",
        "A",
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuite xmlns:xsi="http://x" name="io.ATest" time="0.1" tests="5" errors="1" skipped="1" failures="1">
          <testcase name="works" classname="io.ATest" time="0.1"/>
          <testcase name="differs(int)[2]" classname="io.ATest" time="0.1">
            <failure message="&#10;Expecting &quot;1&quot;&#10;to be 2" type="x"><![CDATA[seed -17: no]]></failure>
          </testcase>
          <testcase name="" classname="io.ATest" time="0.1">
            <error type="java.io.IOException"><![CDATA[at]]></error>
          </testcase>
          <testcase name="cannot" classname="io.ATest" time="0.1">
            <skipped message="Assumption failed: SKIPPED: there is no &quot;disk&quot; &amp; no &lt;net&gt;" type="x"><![CDATA[at]]></skipped>
          </testcase>
        </testsuite>
        """);
    report(
        outside.resolve("gtm-proxy"),
        "failsafe",
        "B",
        """
        <testsuite name="io.BIT" tests="3" errors="0" skipped="2" failures="0">
          <testcase name="neither" classname="io.BIT" time="0.1">
            <skipped type="x"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: no device
            at io.BIT.neither(BIT.java:1)
            ]]></skipped>
          </testcase>
          <testcase name="nor" classname="io.BIT" time="0.1">
            <skipped type="x"><![CDATA[org.opentest4j.TestAbortedException: Assumption failed: no device
            at io.BIT.nor(BIT.java:1)
            ]]></skipped>
          </testcase>
        </testsuite>
        """);
    tool(
        "mvn",
        """
        echo "mvn $*" >>calls
        if [[ $* == *package ]]; then echo '[INFO] BUILD SUCCESS'; exit; fi
        for module in gtm-core gtm-proxy; do
          echo "[INFO] --- surefire:test (default-test) @ mgtm-$module ---"
          if [[ -e %1$s/$module && ! -e $module/target/tests-unwanted ]]; then
            mv %1$s/$module/target/*-reports $module/target/
          fi
          echo "[INFO] --- failsafe:verify (default) @ mgtm-$module ---"
        done
        echo '[INFO] Reactor Summary'
        echo '[INFO] BUILD SUCCESS'
        """
            .formatted(outside));
  }

  /** What Maven was called with, a line each. */
  private String said() throws IOException {
    return Files.readString(root.resolve("calls"));
  }

  @Test
  void testsAreCountedOverAllModulesAndSkipsExplained() throws Exception {
    report(
        root.resolve("gtm-core"),
        "surefire",
        "Z",
        "<testsuite tests=\"100\" errors=\"0\" skipped=\"0\" failures=\"9\"/>\n");
    mavenThatTests();
    End end = run("test");
    assertThat(end.last()).isEqualTo("3 passed, 2 failed, 3 skipped");
    assertThat(end.lines())
        .contains(
            "FAILED io.ATest.differs(int)[2]: Expecting \"1\" to be 2",
            "  ./mgtm test ATest#differs -Dseed=-17",
            "FAILED io.ATest.: java.io.IOException",
            "  ./mgtm test ATest",
            "SKIPPED io.ATest.cannot: there is no \"disk\" & no <net>",
            "SKIPPED io.BIT (2 tests): no device")
        .anyMatch(
            line -> line.matches("gtm-core +1/1 classes +0:.. +2 passed, 2 failed, 1 skipped"))
        .anyMatch(line -> line.matches("gtm-proxy +1/1 classes .*"))
        .noneMatch(line -> line.contains("mvn") || line.contains("\033"));
    assertThat(end.status()).isOne();
    assertThat(said()).contains("mvn -B -ntp -Dstyle.color=never -T 3 -fae -Dtests.selected");
  }

  @Test
  void aRunGoesOnWithTheModulesThatHaveNotPassed() throws Exception {
    mavenThatTests();
    run("test");
    mavenThatTests();
    End end = run("test", "--resume", "--long");
    assertThat(end.lines()).noneMatch(line -> line.startsWith("gtm-proxy"));
    assertThat(end.last()).isEqualTo("3 passed, 2 failed, 3 skipped");
    assertThat(said()).contains(" -Plong ");
  }

  @Test
  void namedTestsRunAlone() throws Exception {
    mavenThatTests();
    End end = run("test", "BIT#nor", "-Dseed=4");
    assertThat(said()).contains(" -Dseed=4 -Dtest=BIT#nor,!*IT -Dit.test=BIT#nor,!*Test ");
    assertThat(end.lines())
        .noneMatch(line -> line.startsWith("gtm-core"))
        .anyMatch(line -> line.matches("gtm-proxy +1/1 classes .*"));
    assertThat(end.last()).isEqualTo("1 passed, 0 failed, 2 skipped");
    assertThat(end.status()).isZero();
    assertThat(run("test", "NoIT").last()).contains("no class of tests \"NoIT\"");
  }

  @Test
  void aBuildThatFailsIsNotGreen() throws Exception {
    tool("mvn", "echo '[ERROR] it does not compile'; echo '[INFO] BUILD FAILURE'; exit 1");
    End end = run("test");
    assertThat(end.lines()).contains("mgtm: it does not compile");
    assertThat(end.last()).isEqualTo("0 passed, 0 failed, 0 skipped");
    assertThat(end.status()).isOne();
  }

  @Test
  void aBuildThatDiesIsNotGreen() throws Exception {
    tool("mvn", "echo '[INFO] Reactor Summary'; kill -9 $$");
    assertThat(run("test").status()).isOne();
  }

  @Test
  void jarsThatAreNewerThanAllSourcesAreNotMadeAgain() throws Exception {
    mavenThatTests();
    run("test");
    assertThat(said()).containsOnlyOnce(" -DskipTests package");
    for (String jar : List.of("gtm-core/target/mgtm-gtm.jar", "gtm-proxy/target/mgtm-proxy.jar")) {
      Files.writeString(root.resolve(jar), "jar");
    }
    run("test");
    assertThat(said()).containsOnlyOnce(" -DskipTests package");
  }

  @Test
  void helpDoesNothingElse() throws Exception {
    tool("mvn", "echo must not run; exit 7");
    for (String command : List.of("test", "lab")) {
      End end = run(command, "--help");
      assertThat(end.lines()).first().asString().startsWith("Usage: ./mgtm " + command);
      assertThat(end.status()).isZero();
    }
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
    layModule("gtm-local");
    tool(
        "mvn",
        "echo \"mvn $*\"; mkdir -p gtm-local/target; echo jar > gtm-local/target/mgtm-local.jar");
    Path tree = root.toRealPath();
    assertThat(run("up", "--nodes", "5").last())
        .startsWith("java -XX:+UseSerialGC")
        .endsWith(
            " -jar %s/gtm-local/target/mgtm-local.jar --data %s/data --nodes 5"
                .formatted(tree, tree));
  }

  @Test
  void anArchiveOfClassesIsMadeOnceAndAgainForAnotherJarOrWhenDamaged() throws Exception {
    tool("mvn", "mkdir -p gtm-core/target; echo jar > gtm-core/target/mgtm-gtm.jar");
    tool(
        "java",
        """
        for word; do
          case $word in *=*.classes.*/classes*) echo classes > "${word#*=}" ;; esac
        done
        echo "java $*"
        """);
    Path jar = root.resolve("gtm-core/target/mgtm-gtm.jar");
    Path archive = root.toRealPath().resolve("gtm-core/target/mgtm-gtm.jsa");
    String making = "mgtm: making an archive of the classes of mgtm-gtm.jar, once";
    assertThat(run("gtm", "status").lines()).contains(making);
    End again = run("gtm", "status");
    assertThat(again.lines()).doesNotContain(making);
    assertThat(again.last()).contains(" -XX:SharedArchiveFile=" + archive + " -Xlog:cds=off ");
    Files.writeString(archive, "torn");
    assertThat(run("gtm", "status").lines()).contains(making);
    Files.writeString(jar, "another jar");
    assertThat(run("gtm", "status").lines()).contains(making);
    Files.writeString(bin.resolve("java"), "#!/bin/bash\necho \"java $*\"\n");
    Files.writeString(jar, "one that no archive can be made of");
    End without = run("gtm", "status");
    assertThat(without.last()).startsWith("java ").doesNotContain("SharedArchiveFile");
    assertThat(run("gtm", "status").lines()).doesNotContain(making).hasSize(1);
    assertThat(archive).doesNotExist();
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
    layModule("gtm-local");
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
    assertThat(run("frobnicate").last())
        .isEqualTo("mgtm: there is no command \"frobnicate\"; see ./mgtm help");
    assertThat(run("updates", "--all").last())
        .isEqualTo("mgtm: --all is no option of that command; see ./mgtm help");
    assertThat(run("frobnicate").status()).isOne();
    assertThat(run("help").status()).isZero();
    assertThat(run("--version").lines()).containsExactly("mgtm 9.9.9");
  }

  @Test
  void unknownScenarioIsRefusedBeforeAnythingRuns() throws Exception {
    Path scenarios = root.resolve("benchmarks/src/test/java/io/mgtm/bench/scenario");
    Files.createDirectories(scenarios);
    Files.writeString(scenarios.resolve("ScenariosIT.java"), "  void leaderIsKilled() {}\n");
    End end = run("scenarios", "leaderIsKilled", "nobodyDies");
    assertThat(end.lines())
        .containsExactly("mgtm: there is no scenario \"nobodyDies\"; there are: leaderIsKilled");
    assertThat(end.status()).isOne();
  }
}
