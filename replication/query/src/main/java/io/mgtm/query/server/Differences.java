package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;

/** What a server is put out for that was given what the leader did. */
final class Differences {
  private Differences() {}

  static String failed(ErrorFields error) {
    return "failed where the leader did not: " + error.message();
  }

  /** What is told where another version of PostgreSQL may be why, and nothing was written. */
  static ErrorFields ofVersion(Node node, String what) {
    return ErrorFields.error(
            "0A000",
            "the server at %s, of PostgreSQL %s, %s".formatted(node, node.kind().version(), what))
        .withHint("Use what the oldest of the servers has.");
  }

  /**
   * Both are command tags.
   *
   * @param leaders empty where the leader answered nothing more
   */
  static String answered(String tag, String leaders) {
    return "answered %s where the leader did %s".formatted(tag, leaders);
  }
}
