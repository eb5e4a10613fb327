package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.RefusalCode;
import java.util.List;

/**
 * Whether a gateway may go on with a session, or open one: the rules of all modes. No clock, I/O or
 * randomness. Owner thread.
 */
public final class SessionRules {
  private SessionRules() {}

  /**
   * What a gateway asks.
   *
   * @param fresh whether to open a session that is not known
   */
  public record Request(
      long session, boolean fresh, boolean proxied, String gateway, GatewayKind kind) {}

  /** Why a session does not go on. */
  public record Refusal(RefusalCode code, String message, String hint) {
    /** Of a session that is not known, or no longer. */
    public static final Refusal LOST =
        new Refusal(
            RefusalCode.SESSION_LOST,
            "the session has ended",
            "What was not answered may have been done or not.");
  }

  /** Where the sessions are, and what becomes of them. */
  public interface Sessions {
    /** Whether a session has a link anywhere. */
    boolean isAttached(long session);

    /** Why none can be opened at all, or null. */
    default Refusal closed() {
      return null;
    }

    void open(SessionCommand.OpenGateway command);

    void end(GtmState.GatewayInfo session);
  }

  /**
   * Opens a session that is not known, and with it ends those that its gateway no longer needs.
   *
   * @param sessionsMax how many there may be
   * @return null when the session may be attached
   */
  public static Refusal admit(Request request, GtmState state, int sessionsMax, Sessions sessions) {
    GtmState.GatewayInfo known = state.gateway(request.session());
    if (known == null) {
      return request.fresh() ? open(request, state, sessionsMax, sessions) : Refusal.LOST;
    }
    boolean its =
        known.gateway().equals(request.gateway())
            && known.kind() == request.kind()
            && known.proxied() == request.proxied();
    return its ? null : new Refusal(RefusalCode.PROTOCOL, "the session is another gateway's", "");
  }

  private static Refusal open(Request request, GtmState state, int sessionsMax, Sessions sessions) {
    Refusal closed = sessions.closed();
    if (closed != null) {
      return closed;
    }
    if (state.counts().sessions() >= sessionsMax) {
      return new Refusal(
          RefusalCode.LIMITS,
          "the limit of " + sessionsMax + " sessions is reached",
          "Raise limits.connectionsMax.");
    }
    if (!request.proxied() && !endUnattached(request, state, sessions)) {
      return new Refusal(
          RefusalCode.NAME_IN_USE,
          "another gateway named \"" + request.gateway() + "\" is connected",
          "Give each proxy a name of its own, or wait until the other's connection is found dead.");
    }
    sessions.open(
        new SessionCommand.OpenGateway(
            request.session(), request.gateway(), request.kind(), request.proxied()));
    return null;
  }

  /** A gateway that starts over no longer needs its old sessions; false when one is in use. */
  private static boolean endUnattached(Request request, GtmState state, Sessions sessions) {
    List<GtmState.GatewayInfo> old =
        state.gateways().stream()
            .filter(s -> s.gateway().equals(request.gateway()) && s.kind() == request.kind())
            .toList();
    if (old.stream().anyMatch(s -> !s.proxied() && sessions.isAttached(s.session()))) {
      return false;
    }
    old.stream().filter(s -> !sessions.isAttached(s.session())).forEach(sessions::end);
    return true;
  }
}
