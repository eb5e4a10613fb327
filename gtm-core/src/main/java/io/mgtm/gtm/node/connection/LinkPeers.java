package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The links to this node: each is told how it stands, at first and on every change. Owner thread.
 */
public final class LinkPeers {
  private static final Logger log = LoggerFactory.getLogger(LinkPeers.class);

  private final Supplier<Leadership> now;
  private final Set<GatewayPeer> peers = new LinkedHashSet<>();
  private Leadership told;

  /**
   * No links.
   *
   * @param now how the node stands
   */
  public LinkPeers(Supplier<Leadership> now) {
    this.now = now;
  }

  /** A gateway has said who it is. */
  public void add(GatewayPeer peer) {
    peers.add(peer);
    peer.leadership(now.get());
    log.debug("{} is linked", peer.describe());
  }

  /** False when it was none. */
  public boolean remove(GatewayPeer peer) {
    boolean known = peers.remove(peer);
    if (known) {
      log.debug("{} is no longer linked", peer.describe());
    }
    return known;
  }

  public int count() {
    return peers.size();
  }

  /** The gateways beyond this node, and where they are; so many at most. */
  public List<String> others(int max) {
    return peers.stream()
        .filter(peer -> !peer.isOwn())
        .limit(max)
        .map(GatewayPeer::describe)
        .toList();
  }

  /** Tells all links when something has changed. */
  public void update() {
    Leadership leadership = now.get();
    if (!leadership.equals(told)) {
      told = leadership;
      List.copyOf(peers).forEach(peer -> peer.leadership(leadership));
    }
  }
}
