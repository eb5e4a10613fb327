package io.mgtm.gtm.node.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;

/**
 * What links brought that take no more now: it waits, in its order, until they do. It is little,
 * for such links are no longer read. Owner thread.
 */
public final class StalledWork {
  private List<LinkWork> works = new ArrayList<>();
  private Set<GatewayPeer> peers = Collections.newSetFromMap(new IdentityHashMap<>());

  public boolean isEmpty() {
    return works.isEmpty();
  }

  /** All that waits comes before what came; nothing waits after it. */
  void goOnBefore(Deque<LinkWork> came) {
    for (int i = works.size() - 1; i >= 0; i--) {
      came.addFirst(works.get(i));
    }
    takeAll();
  }

  /** All that waits; nothing does after it. */
  List<LinkWork> takeAll() {
    if (works.isEmpty()) {
      return works;
    }
    List<LinkWork> all = works;
    works = new ArrayList<>();
    peers.clear();
    return all;
  }

  /** Whether a work has to wait: its link takes no more, or something of it waits already. */
  public boolean isBehind(LinkWork work) {
    GatewayPeer peer = work.peer();
    return peer != null
        && !(work instanceof LinkWork.Gone)
        && (peers.contains(peer) || !peer.takesMore());
  }

  public void add(LinkWork work) {
    works.add(work);
    peers.add(work.peer());
  }

  /** A link has ended. */
  public void gone(GatewayPeer peer) {
    if (peers.remove(peer)) {
      works.removeIf(work -> work.peer() == peer);
    }
  }
}
