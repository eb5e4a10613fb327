package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.state.GtmState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which sessions of gateways have a link to this leader, and since when the others have none. A new
 * leader knows of no link: gateways attach again, and the time of grace starts over. Owner thread.
 */
final class SessionWatch {
  /** A session with a link. */
  static final class Attachment {
    final GatewayPeer peer;

    /** The number that must come next; 0 before the first command. */
    long next;

    Attachment(GatewayPeer peer) {
      this.peer = peer;
    }
  }

  private final long graceMs;
  private final Map<Long, Attachment> attached = new HashMap<>();
  private final Map<Long, Long> detachedAtMs = new HashMap<>();

  /**
   * A watch over no session.
   *
   * @param graceMs how long a session lives without a link
   */
  SessionWatch(long graceMs) {
    this.graceMs = graceMs;
  }

  /** Who leads has changed. */
  void clear() {
    attached.clear();
    detachedAtMs.clear();
  }

  /** The session's link, or null. */
  Attachment of(long session) {
    return attached.get(session);
  }

  /** Any link that the session had no longer belongs to it. */
  void attach(long session, GatewayPeer peer) {
    detachedAtMs.remove(session);
    attached.put(session, new Attachment(peer));
  }

  /** A session has ended. */
  void forget(long session) {
    attached.remove(session);
    detachedAtMs.remove(session);
  }

  /** A session has lost its link. */
  void detach(long session, long nowMs) {
    if (attached.remove(session) != null) {
      detachedAtMs.put(session, nowMs);
    }
  }

  /** A link has ended. */
  void gone(GatewayPeer peer, long nowMs) {
    attached
        .entrySet()
        .removeIf(
            entry -> {
              boolean its = entry.getValue().peer == peer;
              if (its) {
                detachedAtMs.put(entry.getKey(), nowMs);
              }
              return its;
            });
  }

  /** The sessions whose time of grace is over. */
  List<GtmState.GatewayInfo> expired(List<GtmState.GatewayInfo> sessions, long nowMs) {
    List<GtmState.GatewayInfo> expired = new ArrayList<>();
    for (GtmState.GatewayInfo session : sessions) {
      if (!attached.containsKey(session.session())
          && nowMs - detachedAtMs.computeIfAbsent(session.session(), id -> nowMs) >= graceMs) {
        expired.add(session);
      }
    }
    return expired;
  }

  int attachedCount() {
    return attached.size();
  }
}
