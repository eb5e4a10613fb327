package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.Startup;

/**
 * The session that a client's commands go to: one of its own for an original proxy, else that of
 * all clients of the gateway, with a number there. Event loop.
 */
final class ClientSession {
  private final Gateway gateway;
  private Startup startup;
  private UpstreamSession session;
  private short backend = Command.NO_BACKEND;
  private boolean own;
  private boolean awaitsRoom;

  ClientSession(Gateway gateway) {
    this.gateway = gateway;
  }

  /**
   * The client has said who it is.
   *
   * @param decoder told what its commands are for
   * @return false when no number is free
   */
  boolean open(Startup packet, SessionClient client, RequestDecoder decoder) {
    startup = packet;
    own = decoder.proxied();
    if (own) {
      session = gateway.upstream().open();
    } else {
      backend = gateway.backends().take();
      if (backend == BackendNumbers.NONE) {
        return false;
      }
      session = gateway.upstream().shared();
      decoder.backend(backend);
    }
    session.join(client);
    decoder.session(session.id());
    return true;
  }

  boolean isKnown() {
    return startup != null;
  }

  /** What the client says that it is; empty before it has. */
  String name() {
    return startup == null ? "" : startup.nodeName() + " ";
  }

  /** Its number, for replies. */
  short backend() {
    return backend;
  }

  boolean hasRoom() {
    return session == null || session.hasRoom();
  }

  /** Lets the client be resumed once there is room, if it was not asked before. */
  void awaitRoom(SessionClient client) {
    if (!awaitsRoom) {
      awaitsRoom = true;
      gateway.metrics().windowFull.increment();
      session.awaitRoom(client);
    }
  }

  /** There is room. */
  void resumed() {
    awaitsRoom = false;
  }

  /** What the session throws ends the process: others share it. */
  void submit(short of, Command command, ReplyTarget target) {
    try {
      session.submit(of, command, target);
    } catch (RuntimeException | Error e) {
      gateway.fatal(e);
    }
  }

  /** The client has gone. */
  void leave(SessionClient client) {
    if (session == null) {
      return;
    }
    session.leave(client);
    if (own) {
      session.close();
    } else {
      new BackendRelease(session, backend, startup, gateway.backends()).resume();
    }
  }
}
