package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;

/**
 * Tells the GTM that a plain client has gone, as the original proxy does, and keeps the client's
 * backend number until the GTM knows: a later one with the same number shall not lose its
 * transactions to this.
 */
final class BackendRelease implements ReplyTarget, SessionClient {
  private final UpstreamSession session;
  private final short backend;
  private final Startup startup;
  private final BackendNumbers numbers;

  BackendRelease(UpstreamSession session, short backend, Startup startup, BackendNumbers numbers) {
    this.session = session;
    this.backend = backend;
    this.startup = startup;
    this.numbers = numbers;
  }

  @Override
  public void resume() {
    if (!session.hasRoom()) {
      session.awaitRoom(this);
      return;
    }
    boolean postmaster = startup.postmaster();
    session.submit(
        backend,
        new SessionCommand.DisconnectBackend(
            session.id(),
            backend,
            postmaster,
            postmaster ? startup.nodeType() : null,
            postmaster ? startup.nodeName() : ""),
        this);
  }

  @Override
  public void reply(boolean close, ByteBuf bytes) {
    numbers.giveBack(backend);
  }

  @Override
  public void lost(String message, String hint) {
    numbers.giveBack(backend);
  }

  @Override
  public void sessionLost(String message, String hint) {
    numbers.giveBack(backend);
  }
}
