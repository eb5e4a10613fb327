package io.mgtm.gtm.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./mgtm test}, with a Maven that only acts. */
class LauncherTestIT extends LauncherTree {
  @TempDir private Path outside;

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
    End end = run("test", "--resume");
    assertThat(end.lines()).noneMatch(line -> line.startsWith("gtm-proxy"));
    assertThat(end.last()).isEqualTo("3 passed, 2 failed, 3 skipped");
  }

  @Test
  void longTestsAreRunThoughTheOthersHavePassed() throws Exception {
    mavenThatTests();
    run("test");
    mavenThatTests();
    report(
        outside.resolve("gtm-proxy"),
        "failsafe",
        "Slow",
        "<testsuite tests=\"1\" errors=\"0\" skipped=\"0\" failures=\"0\"/>\n");
    End end = run("test", "--resume", "--long");
    assertThat(end.lines()).anyMatch(line -> line.matches("gtm-proxy +2/2 classes .*"));
    assertThat(said()).contains(" -Plong ");
    for (List<String> more : List.of(List.of("--long"), List.<String>of())) {
      mavenThatTests();
      List<String> all = new ArrayList<>(List.of("test", "--resume"));
      all.addAll(more);
      assertThat(run(all.toArray(String[]::new)).lines())
          .noneMatch(line -> line.startsWith("gtm-proxy"));
    }
  }

  @Test
  void nothingHasPassedOnceASourceIsNewer() throws Exception {
    mavenThatTests();
    run("test");
    Files.writeString(root.resolve("gtm-proxy/src/test/BIT.java"), "class BIT { @Test int more; }");
    mavenThatTests();
    assertThat(run("test", "--resume").lines()).anyMatch(line -> line.startsWith("gtm-proxy"));
  }

  @Test
  void theRunBeforeIsShownAgain() throws Exception {
    mavenThatTests();
    run("test");
    String calls = said();
    End end = run("test", "--last");
    assertThat(end.lines()).contains("  ./mgtm test ATest#differs -Dseed=-17");
    assertThat(end.last()).isEqualTo("3 passed, 2 failed, 3 skipped");
    assertThat(said()).isEqualTo(calls);
  }

  @Test
  void classesAreShownByTheTimeThatTheyTook() throws Exception {
    mavenThatTests();
    run("test");
    Files.writeString(root.resolve("gtm-core/target/test-times"), "io.ATest\t1500\t900\n");
    Files.writeString(root.resolve("gtm-proxy/target/test-times"), "io.BIT\t61000\t30000\n");
    assertThat(run("test", "--last", "--times").lines())
        .containsSubsequence("    61.0s     30.0s  io.BIT", "     1.5s      0.9s  io.ATest");
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
  void whatTestsHaveStartedEndsWithTheRun() throws Exception {
    Path started = outside.resolve("started");
    tool("mvn", "/bin/sleep 1000 & echo $! > %1$s.new; mv %1$s.new %1$s; wait".formatted(started));
    Process run = start(List.of(), "test");
    try {
      Await.until("a test has started something", () -> Files.exists(started));
      long left = Long.parseLong(Files.readString(started).strip());
      run.destroy();
      assertThat(run.waitFor(180, TimeUnit.SECONDS)).isTrue();
      assertThat(run.exitValue()).isEqualTo(130);
      Await.until("it ends", () -> ProcessHandle.of(left).isEmpty());
    } finally {
      run.destroyForcibly();
    }
  }
}
