package io.mgtm.gtm.server;

import io.mgtm.gtm.wire.link.Standing;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links to this node: each is told how it stands, at first and on every change. Owner thread.
 */
final class LinkPeers {
  private static final Logger log = LoggerFactory.getLogger(LinkPeers.class);

  private final Supplier<Standing> now;
  private final Set<FrontPeer> peers = new LinkedHashSet<>();
  private Standing told;

  /**
   * No links.
   *
   * @param now how the node stands
   */
  LinkPeers(Supplier<Standing> now) {
    this.now = now;
  }

  /** A front has said who it is. */
  void add(FrontPeer peer) {
    peers.add(peer);
    peer.standing(now.get());
    log.debug("{} is linked", peer.describe());
  }

  /** False when it was none. */
  boolean remove(FrontPeer peer) {
    boolean known = peers.remove(peer);
    if (known) {
      log.debug("{} is no longer linked", peer.describe());
    }
    return known;
  }

  int count() {
    return peers.size();
  }

  /** Tells all links when something has changed. */
  void update() {
    Standing standing = now.get();
    if (!standing.equals(told)) {
      told = standing;
      List.copyOf(peers).forEach(peer -> peer.standing(standing));
    }
  }
}
