package io.mgtm.query.suite;

import java.util.List;

/**
 * What came of a test.
 *
 * @param statements how many it has, with commands of psql
 * @param refused what the replicator refused and the server does, and was left out of the last run
 * @param differences lines of the last run, those of the bare server after a minus, those of the
 *     replicator after a plus
 * @param whyOut why a server was put out, or empty
 */
record Outcome(
    String test, int statements, List<Refused> refused, List<String> differences, String whyOut) {
  /** A piece of the script that the replicator has refused. */
  record Refused(int piece, String sqlState, String message, String text) {}
}
