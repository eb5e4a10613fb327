package io.mgtm.query.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * PostgreSQL's own regression and isolation tests through a replicator before two servers, compared
 * with a bare one: {@code ./mgtm suites}. What it finds is docs/query-regression.md.
 */
@Tag("long")
class PostgresSuitesIT {
  private static final Path PROGRAMS = Path.of("/usr/lib/postgresql/15/bin");

  /** Servers and replicator are recreated after this many databases, to free their disk space. */
  private static final int DATABASES_MAX = 40;

  /** These run first, at each server; others need what they make. */
  private static final List<String> FIRST = List.of("test_setup", "create_index");

  @TempDir private static Path folder;

  /** What a test is run by. */
  private interface Suite {
    Outcome run(String test) throws Exception;
  }

  @Test
  @Timeout(value = 4, unit = TimeUnit.HOURS)
  void whatDiffersIsRefused() throws Exception {
    String source = System.getProperty("mgtm.suites", "");
    if (source.isEmpty()) {
      System.out.println("SKIPPED: ./mgtm suites runs it");
    }
    Assumptions.assumeFalse(source.isEmpty(), "./mgtm suites runs it");
    prepare(Path.of(source));
    SuitePrograms programs = new SuitePrograms(PROGRAMS, folder);
    SuiteReport report = new SuiteReport(new KnownDifferences());
    List<String> rows = new ArrayList<>();
    List<Outcome> regression;
    List<Outcome> isolation;
    ClassCheck check;
    try (SuiteServers servers = new SuiteServers(PROGRAMS, folder)) {
      servers.prepare(
          at -> {
            for (String test : FIRST) {
              programs.psql(at, SuiteServers.BASE, folder.resolve("sql/" + test + ".sql"));
            }
          });
      servers.startAnew();
      check = new ClassCheck(folder, servers.steadyFunctions());
      RegressionSuite suite = new RegressionSuite(servers, programs, folder, check);
      regression = run(servers, tests("parallel_schedule"), suite::run, suite::differences, rows);
      IsolationSuite other = new IsolationSuite(servers, programs, folder);
      isolation = run(servers, tests("isolation_schedule"), other::run, servers::differences, rows);
    }
    String made = Files.readString(Path.of(source).resolve("made")).strip();
    Files.writeString(
        Path.of(System.getProperty("mgtm.suites.page")),
        report.page(made, regression, isolation, rows) + check.text() + "\n");
    List<String> faults = new ArrayList<>(rows);
    faults.addAll(check.contradictions());
    faults.addAll(report.faults(regression));
    faults.addAll(report.faults(isolation));
    assertThat(faults).isEmpty();
  }

  /** What the tests read and write; servers run as another user. */
  private static void prepare(Path source) throws IOException, InterruptedException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    LocalProgram.succeed(folder, Map.of(), List.of("cp", "-r", source + "/.", folder.toString()));
    Files.createDirectory(folder.resolve("results"));
    LocalProgram.succeed(
        folder, Map.of(), List.of("chmod", "-R", "a+rwX", folder.resolve("results") + ""));
  }

  /** The names that a schedule has, in its order, or those that are asked for. */
  private static List<String> tests(String schedule) throws IOException {
    List<String> asked =
        Arrays.asList(System.getProperty("mgtm.suites.tests", "").split("[, ]+", -1));
    return Files.readAllLines(folder.resolve(schedule)).stream()
        .filter(line -> line.startsWith("test: "))
        .flatMap(line -> Arrays.stream(line.substring(6).strip().split(" +", -1)))
        .filter(test -> !FIRST.contains(test))
        .filter(test -> asked.contains("") || asked.contains(test))
        .toList();
  }

  /** What is asked of all servers. */
  private interface Verification {
    List<String> differences() throws IOException;
  }

  private static List<Outcome> run(
      SuiteServers servers,
      List<String> tests,
      Suite suite,
      Verification verification,
      List<String> rows)
      throws Exception {
    List<Outcome> outcomes = new ArrayList<>();
    for (String test : tests) {
      if (!servers.areAllIn() || servers.databases() > DATABASES_MAX) {
        servers.startAnew();
      }
      Outcome one = suite.run(test);
      outcomes.add(one);
      System.out.printf(
          "%s: %d statements, %d refused, %d lines differ%n",
          test, one.statements(), one.refused().size(), one.differences().size());
      one.refused().forEach(System.out::println);
      one.differences().forEach(System.out::println);
      if (servers.areAllIn() && servers.databases() > DATABASES_MAX) {
        rows.addAll(verification.differences());
      }
    }
    if (!tests.isEmpty() && servers.areAllIn()) {
      rows.addAll(verification.differences());
    }
    return outcomes;
  }
}
