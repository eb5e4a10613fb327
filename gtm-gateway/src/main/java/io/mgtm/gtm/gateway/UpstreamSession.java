package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;

/** Where clients' commands go, and come back from as replies, in their order. */
interface UpstreamSession {

  /** The session that commands are to name. */
  long id();

  /** Whether a command may be submitted; if not, {@link #awaitRoom}. */
  boolean hasRoom();

  /** Lets {@link SessionClient#resume} be called once there is room. */
  void awaitRoom(SessionClient client);

  /**
   * Takes a command; it leaves at the end of the event loop's batch, or when there is a leader.
   *
   * @param backend what a proxied reply carries
   */
  void submit(short backend, Command command, ReplyTarget target);

  /** A client uses this session. */
  void join(SessionClient client);

  /** A client no longer uses it. */
  void leave(SessionClient client);

  /** Ends the session, and with it what is open in it. */
  void close();
}
