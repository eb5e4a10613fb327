package io.mgtm.gtm.node.total;

import io.mgtm.gtm.node.engine.GatewayPeer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * The sessions that are attached at this member, or are about to be, each with the link by which
 * its commands come in. Whether they are done is decided in the order. Owner thread.
 */
final class LocalAttachments {
  /** A session's link. */
  static final class LocalAttachment {
    final GatewayPeer peer;
    final long attachment;

    /** The number that must come next; 0 before the first command. */
    long next;

    private boolean admitted;

    LocalAttachment(GatewayPeer peer, long attachment) {
      this.peer = peer;
      this.attachment = attachment;
    }
  }

  private final Map<Long, LocalAttachment> bySession = new HashMap<>();

  /** Those that are no longer their sessions' attachments, of which their links were not told. */
  private final Map<Long, LocalAttachment> moved = new HashMap<>();

  /** The session is to come in by a link; any other link that it had no longer belongs to it. */
  void open(long session, GatewayPeer peer, long attachment) {
    bySession.put(session, new LocalAttachment(peer, attachment));
  }

  /**
   * The session's attachment has its place in the order for good. Only now commands may come: what
   * is proposed under an attachment stands behind it, and a later one of another member behind
   * both.
   */
  void admit(long session, long attachment) {
    LocalAttachment local = bySession.get(session);
    if (local != null && local.attachment == attachment) {
      local.admitted = true;
    }
  }

  /** The session's local, null when it has none for that link. */
  LocalAttachment of(long session, GatewayPeer peer) {
    LocalAttachment local = bySession.get(session);
    return local != null && local.peer == peer ? local : null;
  }

  /** The local if commands may come in by it; null when not. */
  LocalAttachment open(long session, GatewayPeer peer) {
    LocalAttachment local = of(session, peer);
    return local != null && local.admitted ? local : null;
  }

  /**
   * The session no longer has this attachment. A gateway that has asked two members in turn may be
   * attached last at the first one, and believe that it is at the other; or this member was taken
   * for gone. False when it was none of this member's.
   */
  boolean moved(long session, long attachment) {
    LocalAttachment local = bySession.get(session);
    boolean its = local != null && local.attachment == attachment;
    if (its) {
      moved.put(session, local);
    }
    return its;
  }

  /** Whether {@link #takeMoved} may give any. */
  boolean hasMoved() {
    return !moved.isEmpty();
  }

  /** Gives, once, those that have moved since their links were told that they are attached. */
  void takeMoved(BiConsumer<Long, GatewayPeer> visitor) {
    moved
        .entrySet()
        .removeIf(
            entry -> {
              boolean its = bySession.get(entry.getKey()) == entry.getValue();
              if (its && entry.getValue().admitted) {
                visitor.accept(entry.getKey(), entry.getValue().peer);
              }
              return !its || entry.getValue().admitted;
            });
  }

  /** The session does not come in under that attachment any more. */
  void forget(long session, long attachment) {
    bySession.computeIfPresent(
        session, (id, local) -> local.attachment == attachment ? null : local);
  }

  /** A link has ended; the answer is what is to be told of its sessions. */
  List<MemberOp> gone(GatewayPeer peer) {
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

  /** Gives all for the last time. */
  void shutAll(BiConsumer<Long, GatewayPeer> visitor) {
    Map<Long, LocalAttachment> all = Map.copyOf(bySession);
    bySession.clear();
    all.forEach((session, local) -> visitor.accept(session, local.peer));
  }
}
