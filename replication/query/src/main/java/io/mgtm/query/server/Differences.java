package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;

/** What a server is put out for that was given what the leader did. */
final class Differences {
  private Differences() {}

  static String failed(ErrorFields error) {
    return "failed where the leader did not: " + error.message();
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
