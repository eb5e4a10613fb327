package io.mgtm.query.suite;

import io.mgtm.common.HostPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Runs a specification of PostgreSQL's tests of isolation at a bare server and through the
 * replicator. Where something is refused, the rest is not compared: steps stand on one another.
 */
final class IsolationSuite {
  private static final Pattern ERROR = Pattern.compile(".*?(?:ERROR|FATAL):  (.*)");

  private final SuiteServers servers;
  private final SuitePrograms programs;
  private final Path folder;
  private int databases;

  IsolationSuite(SuiteServers servers, SuitePrograms programs, Path folder) {
    this.servers = servers;
    this.programs = programs;
    this.folder = folder;
  }

  Outcome run(String test) throws Exception {
    Path specification = folder.resolve("specs").resolve(test + ".spec");
    String database = "isolation%03d".formatted(++databases);
    servers.createDatabase(database, SuiteServers.EMPTY);
    List<String> bare = run(servers.bare(), servers.bare(), database, specification);
    List<String> through = run(servers.replicator(), servers.leader(), database, specification);
    List<String> differences = Differences.between(bare, through);
    List<Outcome.Refused> refused = refused(bare, through);
    int steps =
        (int)
            Files.readString(specification, StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith("step") || line.startsWith("setup"))
                .count();
    return new Outcome(
        test, steps, refused, refused.isEmpty() ? differences : List.of(), servers.whyOut());
  }

  private List<String> run(HostPort at, HostPort leader, String database, Path specification)
      throws IOException, InterruptedException {
    Path tester = folder.resolve("isolationtester");
    return programs
        .isolation(tester, at, leader, database, specification)
        .replace(database, "isolation")
        .lines()
        .toList();
  }

  private static List<Outcome.Refused> refused(List<String> bare, List<String> through) {
    Set<String> expected = new HashSet<>(bare);
    List<Outcome.Refused> refused = new ArrayList<>();
    for (String line : through) {
      Matcher error = ERROR.matcher(line);
      if (!expected.contains(line) && error.matches()) {
        String message = error.group(1);
        if (Reason.of(message) != Reason.OTHER) {
          refused.add(new Outcome.Refused(0, state(message), message, ""));
        }
      }
    }
    return refused;
  }

  /** What the tester does not print. */
  private static String state(String message) {
    return switch (Reason.of(message)) {
      case CHANGED -> "40001";
      case PROCEDURES -> "2D000";
      default -> message.endsWith("read-only transaction") ? "25006" : "0A000";
    };
  }
}
