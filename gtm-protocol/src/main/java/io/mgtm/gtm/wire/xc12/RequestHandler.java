package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Command;

/** Where {@link RequestDecoder} hands what it read. Called by the decoding thread. */
public interface RequestHandler {

  /** The first frame of a connection. */
  void startup(Startup startup);

  /**
   * A command.
   *
   * @param backend the proxy's connection number that the reply must carry, or NO_BACKEND
   */
  void command(MessageType type, short backend, Command command);

  /**
   * A command that this GTM does not serve, or a proxy's that breaks the rules; the connection goes
   * on.
   *
   * @param type null for one that breaks the rules
   */
  void refused(MessageType type, short backend, String message, String hint);

  /** The client says that it leaves. */
  void terminate();
}
