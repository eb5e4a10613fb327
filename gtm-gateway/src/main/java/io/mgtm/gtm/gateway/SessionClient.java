package io.mgtm.gtm.gateway;

/** A client whose commands go into a session. */
interface SessionClient {

  /** The session has room again, which the client waited for. */
  void resume();

  /** Another leader serves the session from now on. */
  default void leaderChanged() {}

  /** The session has ended, and what the client had in it is lost. */
  void sessionLost(String message, String hint);
}
