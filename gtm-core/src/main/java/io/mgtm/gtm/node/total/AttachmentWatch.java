package io.mgtm.gtm.node.total;

import io.mgtm.gtm.state.GtmState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What the member that makes the order watches over in mode {@code total}: sessions that have no
 * link to any member, and members that are gone with their links. It only proposes; whether a
 * session has a link is decided at the proposal's place. Time counts anew at each member that
 * begins to make the order. Owner thread.
 */
final class AttachmentWatch {
  private final long graceMs;
  private final long goneMs;
  private final Map<Long, Detached> detached = new HashMap<>();
  private final Map<String, Long> goneSinceMs = new HashMap<>();

  private record Detached(long index, long sinceMs) {}

  /**
   * A watch over nothing.
   *
   * @param graceMs how long a session lives without a link
   * @param goneMs how long a member is not connected before its links are taken for gone
   */
  AttachmentWatch(long graceMs, long goneMs) {
    this.graceMs = graceMs;
    this.goneMs = goneMs;
  }

  void clear() {
    detached.clear();
    goneSinceMs.clear();
  }

  /**
   * The operations to propose now.
   *
   * @param connected members of the group that are connected
   */
  List<MemberOp> due(
      List<GtmState.GatewayInfo> sessions,
      Attachments attachments,
      Collection<String> connected,
      long nowMs) {
    List<MemberOp> due = new ArrayList<>();
    Set<String> away = new HashSet<>(attachments.members());
    away.removeAll(connected);
    goneSinceMs.keySet().retainAll(away);
    for (String member : away) {
      if (nowMs - goneSinceMs.computeIfAbsent(member, name -> nowMs) >= goneMs) {
        due.add(new MemberOp.Gone(member));
      }
    }
    Set<Long> without = new HashSet<>();
    for (GtmState.GatewayInfo session : sessions) {
      Attachments.Attachment at = attachments.of(session.session());
      if (!at.attached()) {
        without.add(session.session());
        if (isOver(session.session(), at.detachedAt(), nowMs)) {
          due.add(new MemberOp.Expire(session.session(), at.detachedAt()));
        }
      }
    }
    detached.keySet().retainAll(without);
    return due;
  }

  private boolean isOver(long session, long index, long nowMs) {
    Detached known = detached.get(session);
    if (known == null || known.index() != index) {
      detached.put(session, new Detached(index, nowMs));
      return graceMs <= 0;
    }
    return nowMs - known.sinceMs() >= graceMs;
  }
}
