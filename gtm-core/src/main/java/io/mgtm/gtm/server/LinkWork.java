package io.mgtm.gtm.server;

import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkEntries;
import java.util.List;

/** What a link brought, to be done in its order. */
sealed interface LinkWork {

  /** A front goes on with a session, or opens it. */
  record Attach(FrontPeer peer, long session, boolean fresh, boolean proxied) implements LinkWork {}

  /** Commands of a session, numbered from {@code first}. */
  record Commands(FrontPeer peer, long session, long acked, long first, List<LinkCommand> commands)
      implements LinkWork {}

  /** Entries of a leader before, which the front kept; well formed. */
  record Present(FrontPeer peer, LinkEntries entries) implements LinkWork {}

  /** A front needs a session no more. */
  record Close(FrontPeer peer, long session) implements LinkWork {}

  /** The link has ended. */
  record Gone(FrontPeer peer) implements LinkWork {}

  /**
   * Wants the state, once all that it shows is committed.
   *
   * @param answer told on the owner thread
   */
  record Copy(StateCopy answer) implements LinkWork {}
}
