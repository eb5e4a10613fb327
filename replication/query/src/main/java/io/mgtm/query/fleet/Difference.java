package io.mgtm.query.fleet;

import io.mgtm.query.wire.ErrorFields;
import java.util.Set;

/**
 * What a server is put out for that was given what the leader did.
 *
 * @param kind {@link Ejection#FAILED} where its rows are those it had before, and it only lacks
 *     what it was given
 */
public record Difference(Ejection kind, String text) {
  /** Classes of errors that no rows cause: deadlocks, resources, an operator, the system. */
  private static final Set<String> OF_SERVER = Set.of("40", "53", "57", "58");

  /** It has refused what it was given. */
  public static Difference failed(ErrorFields error) {
    return failed("failed where the leader did not", error);
  }

  /**
   * The same with what exactly it did not do.
   *
   * @param error null where it was done otherwise without one
   */
  public static Difference failed(String what, ErrorFields error) {
    if (error == null) {
      return new Difference(Ejection.DIFFERS, what);
    }
    return new Difference(
        isOfServer(error) ? Ejection.FAILED : Ejection.DIFFERS, what + ": " + error.message());
  }

  /** Whether it tells of the server, or of who has cancelled, and not of rows. */
  public static boolean isOfServer(ErrorFields error) {
    return OF_SERVER.contains(error.sqlState().substring(0, 2));
  }

  /** What it is given then is committed by itself, whatever the error was. */
  public static Difference notBegun(ErrorFields error) {
    return new Difference(Ejection.DIFFERS, failed("failed to begin", error).text());
  }

  /**
   * Both are command tags.
   *
   * @param leaders empty where the leader answered nothing more
   */
  public static Difference answered(String tag, String leaders) {
    return new Difference(
        Ejection.DIFFERS, "answered %s where the leader did %s".formatted(tag, leaders));
  }

  /** What is told where another version of PostgreSQL may be why, and nothing was written. */
  public ErrorFields ofVersion(Node node) {
    return ErrorFields.error(
            "0A000",
            "the server at %s, of PostgreSQL %s, %s".formatted(node, node.kind().version(), text))
        .withHint("Use what the oldest of the servers has.");
  }
}
