package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What the launcher builds, installs and runs. */
class LauncherIT extends LauncherTree {
  @Test
  void helpDoesNothingElse() throws Exception {
    tool("mvn", "echo must not run; exit 7");
    for (String command : List.of("test", "lab")) {
      End end = run(command, "--help");
      assertThat(end.lines()).first().asString().startsWith("Usage: ./mgtm " + command);
      assertThat(end.status()).isZero();
    }
  }

  /** That of a program is in its jar, which was built before some source was changed. */
  @Test
  void helpOfAProgramBuildsOnlyWhatIsNotThere() throws Exception {
    layModule("benchmarks");
    tool("mvn", "echo must not run; exit 7");
    tool("apt-get", "echo must not run; exit 7");
    for (String module : List.of("gtm-core/target/mgtm-gtm", "benchmarks/target/mgtm-bench")) {
      Path jar = root.resolve(module + ".jar");
      Files.createDirectories(jar.getParent());
      Files.writeString(jar, "of an earlier source");
      Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    }
    String jars = "java -jar " + root.toRealPath();
    assertThat(run("gtm", "start", "--help").lines())
        .containsExactly(jars + "/gtm-core/target/mgtm-gtm.jar start --help");
    assertThat(run("ha", "demo", "-h").lines())
        .containsExactly(jars + "/benchmarks/target/mgtm-bench.jar ha-demo -h");
    assertThat(run("lab", "--wan", "--help").lines())
        .containsExactly(jars + "/benchmarks/target/mgtm-bench.jar wan --help");
    assertThat(run("proxy", "--help").lines()).contains("must not run");
  }

  @Test
  void aJarIsBuiltOnceAndRun() throws Exception {
    tool(
        "mvn",
        "echo \"mvn $*\"; mkdir -p gtm-core/target; echo jar > gtm-core/target/mgtm-gtm.jar");
    End first = run("gtm", "status");
    assertThat(first.lines())
        .anyMatch(line -> line.startsWith("mvn -B -ntp -Dstyle.color=never -pl gtm-core -am"));
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
    // Who only asks does not wait for it.
    assertThat(run("gtm", "status").lines()).doesNotContain(making);
    assertThat(run("gtm", "start").lines()).contains(making);
    End again = run("gtm", "start");
    assertThat(again.lines()).doesNotContain(making);
    assertThat(again.last()).contains(" -XX:SharedArchiveFile=" + archive + " -Xlog:cds=off ");
    Files.writeString(archive, "torn");
    assertThat(run("gtm", "start").lines()).contains(making);
    Files.writeString(jar, "another jar");
    assertThat(run("gtm", "start").lines()).contains(making);
    Files.writeString(bin.resolve("java"), "#!/bin/bash\necho \"java $*\"\n");
    Files.writeString(jar, "one that no archive can be made of");
    End without = run("gtm", "start");
    assertThat(without.last()).startsWith("java ").doesNotContain("SharedArchiveFile");
    assertThat(run("gtm", "start").lines()).doesNotContain(making).hasSize(1);
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
