package io.mgtm.query.session;

import io.mgtm.query.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The cursors of an open transaction whose queries are known not to write: those that the client
 * has declared. A query runs while its rows are fetched, so that one that a function has opened, or
 * that was bound to a portal, may write only then. Belongs to a session.
 */
final class Cursors {
  private static final Set<String> RUNNING = Set.of("fetch", "move");

  /** Their names, and how many savepoints there were. */
  private final Map<String, Integer> declared = new HashMap<>();

  /** Whether a statement runs the query of a cursor. */
  static boolean runs(Statement statement) {
    return RUNNING.contains(statement.word(0));
  }

  /** What of these is about cursors is run, in a transaction with so many savepoints. */
  void run(Stream<Prepared> executed, int savepoints) {
    executed
        .map(Prepared::statement)
        .filter(statement -> statement != null)
        .forEach(
            statement -> {
              if (statement.word(0).equals("declare")) {
                declared.put(statement.word(1), savepoints);
              } else if (statement.word(0).equals("close")) {
                close(statement);
              }
            });
  }

  private void close(Statement statement) {
    if (statement.endsWith("all")) {
      declared.clear();
    } else {
      declared.remove(statement.word(1));
    }
  }

  /** Whether the query of the one that is fetched from is known not to write. */
  boolean knows(Statement fetch) {
    return declared.containsKey(fetch.word(fetch.tokens().size() - 1));
  }

  /** Another may have its name now. */
  void forget(String name) {
    declared.remove(name);
  }

  /** Others may have their names now. */
  void forget() {
    declared.clear();
  }

  /** So many savepoints are left, what was done after them is undone. */
  void undo(int savepoints) {
    declared.values().removeIf(then -> then >= savepoints);
  }

  /** So many savepoints are left, what was done after others stays. */
  void release(int savepoints) {
    declared.replaceAll((name, then) -> Math.min(then, savepoints));
  }
}
