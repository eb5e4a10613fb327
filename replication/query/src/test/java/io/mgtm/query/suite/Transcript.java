package io.mgtm.query.suite;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What psql has printed of a script, with errors told verbosely. */
final class Transcript {
  private static final Pattern SAID = Pattern.compile("psql:[^ ]*:(\\d+): (.*)");
  private static final Pattern ERROR = Pattern.compile("(?:ERROR|FATAL):  ([0-9A-Z]{5}): (.*)");
  private static final String PLACE = "LOCATION:  ";

  /** What psql's \\d tells of a table's triggers begins so, and the replicator's is one. */
  private static final String TRIGGERS = "Triggers firing always:";

  private static final String CAPTURE = "    mgtm_capture AFTER ";

  /** Where in the text an error is: the replicator sends statements of a text by themselves. */
  private static final Pattern MARK = Pattern.compile("(psql:[^ ]* )?LINE \\d+: .*| *\\^");

  /** That of a session's temporary tables has the number of its backend. */
  private static final Pattern SCHEMA = Pattern.compile("pg_temp_\\d+");

  private static final String AT_SEMICOLON = "at or near \";\"";

  /**
   * An error.
   *
   * @param line of the script, counted from 1
   * @param isServers whether it tells of a place in the source of PostgreSQL
   */
  record Failure(int line, String sqlState, String message, boolean isServers) {
    boolean isSame(Failure other) {
      return sqlState.equals(other.sqlState) && message.equals(other.message);
    }
  }

  private final List<String> lines;

  /** Of a script that ran in that database, whose name is not to matter. */
  Transcript(String text, String database) {
    this.lines = text.replace(database, "regression").lines().toList();
  }

  List<Failure> failures() {
    List<Failure> failures = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      Matcher said = SAID.matcher(lines.get(i));
      if (said.matches()) {
        Matcher error = ERROR.matcher(said.group(2));
        if (error.matches()) {
          int line = Integer.parseInt(said.group(1));
          failures.add(new Failure(line, error.group(1), error.group(2), hasPlace(i + 1)));
        }
      }
    }
    return failures;
  }

  /** Of what is told from that line on. */
  private boolean hasPlace(int from) {
    for (int i = from; i < lines.size() && !SAID.matcher(lines.get(i)).matches(); i++) {
      if (lines.get(i).startsWith(PLACE)) {
        return true;
      }
    }
    return false;
  }

  /** What is to be the same at all servers. */
  List<String> compared() {
    List<String> compared = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      boolean heading =
          line.equals(TRIGGERS) && i + 1 < lines.size() && lines.get(i + 1).startsWith(CAPTURE);
      boolean left =
          heading
              || line.startsWith(CAPTURE)
              || line.startsWith(PLACE)
              || MARK.matcher(line).matches();
      if (!left) {
        compared.add(
            SCHEMA
                .matcher(SAID.matcher(line).replaceFirst("$2"))
                .replaceAll("pg_temp")
                .replace(AT_SEMICOLON, "at end of input"));
      }
    }
    return compared;
  }
}
