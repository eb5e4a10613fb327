package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Reply;

/** Where {@link ReplyDecoder} hands what it read. Called by the decoding thread. */
public interface ReplyHandler {

  /** The server has accepted the startup packet. */
  void startupAccepted();

  /**
   * A success.
   *
   * @param backend the connection number that it is for, or NO_BACKEND
   */
  void reply(ResultType type, short backend, Reply reply);

  /**
   * An error.
   *
   * @param backend the connection number that it is for, or NO_BACKEND
   * @param fatal whether the server closes the connection after it
   * @param hint what to do, or empty
   */
  void error(short backend, boolean fatal, String message, String hint);
}
