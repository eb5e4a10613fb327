package io.mgtm.query.suite;

import io.mgtm.common.HostPort;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs a regression test at a bare server and through the replicator, each in a database of its
 * own. What is refused is left out then at both, until both do the same, or nothing more is
 * refused.
 */
final class RegressionSuite {
  private static final int ROUNDS_MAX = 12;
  private static final Pattern TERSE = Pattern.compile("(?m)^\\\\set VERBOSITY .*$");

  /** Of a transaction that has failed; of a write in a READ ONLY one, and COMMIT in a procedure. */
  private static final String ABORTED = "25P02";

  private static final Set<String> SERVERS_OWN = Set.of("25006", "2D000");

  private final SuiteServers servers;
  private final SuitePrograms programs;
  private final Path folder;

  RegressionSuite(SuiteServers servers, SuitePrograms programs, Path folder, ClassCheck check) {
    this.check = check;
    this.servers = servers;
    this.programs = programs;
    this.folder = folder;
  }

  /** Whose test each database is, to tell of rows that differ. */
  private final Map<String, String> tests = new TreeMap<>();

  private final ClassCheck check;
  private final List<String> earlier = new ArrayList<>();
  private String last;

  /** What became of a test; a server that was put out ends it. */
  Outcome run(String test) throws Exception {
    String text =
        Files.readString(folder.resolve("sql").resolve(test + ".sql"), StandardCharsets.ISO_8859_1);
    PsqlScript script = PsqlScript.parse(TERSE.matcher(text).replaceAll(""));
    Set<Integer> left = new TreeSet<>();
    List<Outcome.Refused> refused = new ArrayList<>();
    List<String> differences = List.of();
    for (int round = 0; round < ROUNDS_MAX; round++) {
      Pair pair = runBoth(test, script.without(left));
      differences = Differences.between(pair.bare.compared(), pair.through.compared());
      List<Outcome.Refused> more =
          differences.isEmpty() ? List.of() : refused(pair, script, script.lines(left));
      if (!more.isEmpty()) {
        refused.addAll(more);
        more.forEach(one -> left.add(one.piece()));
      }
      if (more.isEmpty() || !servers.areAllIn()) {
        break;
      }
    }
    check.compare(servers.admin(), last, script);
    String whyOut = servers.whyOut();
    if (!differences.isEmpty() && whyOut.isEmpty()) {
      differences = again(test, script.without(left));
      whyOut = servers.whyOut();
    }
    return new Outcome(test, script.size(), refused, differences, whyOut);
  }

  /**
   * What differs at recreated servers, which have no roles of earlier runs. Lines that a bare
   * server does not repeat either are left out; numbers in lines are ignored for that.
   */
  private List<String> again(String test, String script) throws Exception {
    earlier.addAll(differencesNow());
    servers.startAnew();
    Pair pair = runBoth(test, script);
    List<String> differences = Differences.between(pair.bare.compared(), pair.through.compared());
    Path file = write(test, script);
    List<String> repeated = transcript(servers.bare(), database(test), file).compared();
    Set<String> unsteady =
        Differences.between(pair.bare.compared(), repeated).stream()
            .map(RegressionSuite::shape)
            .collect(Collectors.toSet());
    return differences.stream().filter(line -> !unsteady.contains(shape(line))).toList();
  }

  private static String shape(String difference) {
    return difference.substring(1).replaceAll("\\d+", "0").replaceAll("  +", " ");
  }

  private String database(String test) throws SQLException {
    String database = "regress%03d".formatted(tests.size() + 1);
    servers.createDatabase(database, SuiteServers.BASE);
    tests.put(database, test);
    last = database;
    return database;
  }

  private Path write(String test, String script) throws IOException {
    return Files.writeString(folder.resolve(test + ".sql"), script, StandardCharsets.ISO_8859_1);
  }

  /** Whose rows differ between the servers behind the replicator, with the difference. */
  List<String> differences() throws IOException {
    List<String> all = new ArrayList<>(earlier);
    earlier.clear();
    all.addAll(differencesNow());
    return all;
  }

  private List<String> differencesNow() throws IOException {
    return servers.differences().stream()
        .map(
            line ->
                tests.entrySet().stream()
                    .filter(
                        entry ->
                            line.endsWith(" " + entry.getKey() + " differ")
                                || line.contains(" of " + entry.getKey() + " "))
                    .map(entry -> entry.getValue() + ": " + line)
                    .findFirst()
                    .orElse(line))
        .toList();
  }

  private record Pair(Transcript bare, Transcript through) {}

  private Pair runBoth(String test, String script) throws Exception {
    Path file = write(test, script);
    String database = database(test);
    Transcript bare = transcript(servers.bare(), database, file);
    Transcript through = transcript(servers.replicator(), database, file);
    return new Pair(bare, through);
  }

  private Transcript transcript(HostPort at, String database, Path file)
      throws IOException, InterruptedException {
    return new Transcript(programs.psql(at, database, file), database);
  }

  private static List<Outcome.Refused> refused(
      Pair pair, PsqlScript script, NavigableMap<Integer, Integer> lines) {
    List<Transcript.Failure> expected = pair.bare.failures();
    List<Outcome.Refused> refused = new ArrayList<>();
    for (Transcript.Failure one : pair.through.failures()) {
      boolean own =
          one.isServers() ? SERVERS_OWN.contains(one.sqlState()) : !one.sqlState().equals(ABORTED);
      int piece = lines.floorEntry(one.line()).getValue();
      boolean wanted =
          expected.stream()
              .anyMatch(e -> lines.floorEntry(e.line()).getValue() == piece && e.isSame(one));
      if (own && !wanted) {
        refused.add(new Outcome.Refused(piece, one.sqlState(), one.message(), script.piece(piece)));
      }
    }
    return refused;
  }
}
