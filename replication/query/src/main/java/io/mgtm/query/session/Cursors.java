package io.mgtm.query.session;

import io.mgtm.query.sql.Statement;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The cursors whose queries are known not to write: those that the client has declared in the open
 * transaction, or WITH HOLD in one that was committed. A query runs while its rows are fetched, so
 * that one that a function has opened, or that was bound to a portal, may write only then. Belongs
 * to a session.
 */
final class Cursors {
  private static final Set<String> RUNNING = Set.of("fetch", "move");

  /** Their names, and how many savepoints there were. */
  private final Map<String, Integer> declared = new HashMap<>();

  /** Names of those that outlive the open transaction, if it is committed, and of those that do. */
  private final Set<String> toHold = new HashSet<>();

  private final Set<String> held = new HashSet<>();

  /** Whether a statement runs the query of a cursor. */
  static boolean runs(Statement statement) {
    return RUNNING.contains(statement.word(0));
  }

  /**
   * What of these is about cursors is run, in a transaction with so many savepoints.
   *
   * @param open whether there is one: else none that is declared stays
   */
  void run(Stream<Prepared> executed, boolean open, int savepoints) {
    executed
        .map(Prepared::statement)
        .filter(statement -> statement != null)
        .forEach(
            statement -> {
              if (open && statement.word(0).equals("declare")) {
                declare(statement, savepoints);
              } else if (statement.word(0).equals("close")) {
                close(statement);
              }
            });
  }

  private void declare(Statement statement, int savepoints) {
    declared.put(statement.word(1), savepoints);
    if (statement.holdsCursor()) {
      toHold.add(statement.word(1));
    }
  }

  private void close(Statement statement) {
    if (statement.endsWith("all")) {
      forget();
    } else {
      forget(statement.word(1));
    }
  }

  /** The transaction is committed. */
  void commit() {
    toHold.retainAll(declared.keySet());
    held.addAll(toHold);
  }

  /** It has ended, whether it was committed or not. */
  void end() {
    declared.clear();
    toHold.clear();
  }

  /** Whether the query of the one that is fetched from is known not to write. */
  boolean knows(Statement fetch) {
    String name = fetch.word(fetch.tokens().size() - 1);
    return declared.containsKey(name) || held.contains(name);
  }

  /** Another may have its name now. */
  void forget(String name) {
    declared.remove(name);
    held.remove(name);
  }

  /** Others may have their names now. */
  void forget() {
    end();
    held.clear();
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
