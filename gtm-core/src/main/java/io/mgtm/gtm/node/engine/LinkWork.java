package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.wire.link.LinkCommand;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.util.List;

/** What a link brought, to be done in its order. */
public sealed interface LinkWork {

  /** The link; null when none brought it. */
  GatewayPeer peer();

  /** A gateway goes on with a session, or opens it. */
  record Attach(GatewayPeer peer, long session, boolean fresh, boolean proxied)
      implements LinkWork {
    /** What the gateway asks. */
    public SessionRules.Request request() {
      return new SessionRules.Request(session, fresh, proxied, peer.gateway(), peer.kind());
    }
  }

  /** Commands of a session, numbered from {@code first}. */
  record Commands(
      GatewayPeer peer, long session, long acked, long first, List<LinkCommand> commands)
      implements LinkWork {
    /** The number of the command that is to come after these. */
    public long next() {
      return first + commands.size();
    }

    /** What is left when {@code done} of them are done. */
    public Commands from(int done) {
      return new Commands(
          peer, session, acked, first + done, commands.subList(done, commands.size()));
    }

    /**
     * Why these cannot be done as they came: one is missing before them, or more are under way than
     * a session may have. Null when they can.
     *
     * @param expected the number that was to come next, 0 before there is one
     */
    public String disorder(long expected) {
      boolean gap = expected != 0 && expected != first;
      return gap || next() - 1 - acked > LinkFormat.WINDOW_COMMANDS
          ? "command %d came with replies had up to %d; expected was %d, and at most %d at once"
              .formatted(first, acked, expected, LinkFormat.WINDOW_COMMANDS)
          : null;
    }
  }

  /** Entries of a leader before, which the gateway kept; well formed. */
  record Present(GatewayPeer peer, LinkEntries entries) implements LinkWork {}

  /** A gateway no longer needs a session. */
  record Close(GatewayPeer peer, long session) implements LinkWork {}

  /** The link has ended. */
  record Gone(GatewayPeer peer) implements LinkWork {}

  /**
   * Wants the state, once all that it shows is committed.
   *
   * @param answer told on the owner thread
   */
  record Copy(StateCopy answer) implements LinkWork {
    @Override
    public GatewayPeer peer() {
      return null;
    }
  }
}
