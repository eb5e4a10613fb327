package io.mgtm.gtm.server;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sessions that are attached at this member, or are about to be, each with the link by which
 * its commands come in. Whether they are done is decided in the order. Owner thread.
 */
final class Doors {
  /** A session's link. */
  static final class Door {
    final FrontPeer peer;
    final long attachment;

    /** The number that must come next; 0 before the first command. */
    long next;

    private boolean admitted;

    Door(FrontPeer peer, long attachment) {
      this.peer = peer;
      this.attachment = attachment;
    }
  }

  private final Map<Long, Door> bySession = new HashMap<>();

  /** The session is to come in by a link; any other link that it had no longer belongs to it. */
  void open(long session, FrontPeer peer, long attachment) {
    bySession.put(session, new Door(peer, attachment));
  }

  /**
   * The session's attachment has its place in the order for good. Only now commands may come: what
   * is proposed under an attachment stands behind it, and a later one of another member behind
   * both.
   */
  void admit(long session, long attachment) {
    Door door = bySession.get(session);
    if (door != null && door.attachment == attachment) {
      door.admitted = true;
    }
  }

  /** The session's door, null when it has none for that link. */
  Door of(long session, FrontPeer peer) {
    Door door = bySession.get(session);
    return door != null && door.peer == peer ? door : null;
  }

  /** The door if commands may come in by it; null when not. */
  Door open(long session, FrontPeer peer) {
    Door door = of(session, peer);
    return door != null && door.admitted ? door : null;
  }

  /** The session does not come in by that link any more. */
  void forget(long session, FrontPeer peer) {
    if (of(session, peer) != null) {
      bySession.remove(session);
    }
  }

  /** A link has ended; the answer is what is to be told of its sessions. */
  List<MemberOp> gone(FrontPeer peer) {
    List<MemberOp> ops = new ArrayList<>();
    bySession
        .entrySet()
        .removeIf(
            entry -> {
              boolean its = entry.getValue().peer == peer;
              if (its) {
                ops.add(new MemberOp.Detach(entry.getKey(), entry.getValue().attachment));
              }
              return its;
            });
    return ops;
  }

  /** Called for each. */
  interface Visitor {
    void visit(long session, FrontPeer peer);
  }

  /** Shuts all. */
  void shutAll(Visitor visitor) {
    Map<Long, Door> all = Map.copyOf(bySession);
    bySession.clear();
    all.forEach((session, door) -> visitor.visit(session, door.peer));
  }
}
