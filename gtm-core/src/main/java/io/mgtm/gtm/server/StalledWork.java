package io.mgtm.gtm.server;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What links brought that take no more now: it waits, in its order, until they do. It is little,
 * for such links are no longer read. Owner thread.
 */
final class StalledWork {
  private List<LinkWork> works = new ArrayList<>();
  private Set<GatewayPeer> peers = Collections.newSetFromMap(new IdentityHashMap<>());

  boolean isEmpty() {
    return works.isEmpty();
  }

  /** All that waits, and then what came; nothing waits after it. */
  List<LinkWork> before(List<LinkWork> came) {
    if (works.isEmpty()) {
      return came;
    }
    List<LinkWork> all = takeAll();
    all.addAll(came);
    return all;
  }

  /** All that waits; nothing does after it. */
  List<LinkWork> takeAll() {
    List<LinkWork> all = works;
    works = new ArrayList<>();
    peers.clear();
    return all;
  }

  /** Whether a work has to wait: its link takes no more, or something of it waits already. */
  boolean isBehind(LinkWork work) {
    GatewayPeer peer = work.peer();
    return peer != null
        && !(work instanceof LinkWork.Gone)
        && (peers.contains(peer) || !peer.takesMore());
  }

  void add(LinkWork work) {
    works.add(work);
    peers.add(work.peer());
  }

  /** A link has ended. */
  void gone(GatewayPeer peer) {
    if (peers.remove(peer)) {
      works.removeIf(work -> work.peer() == peer);
    }
  }
}
