package io.mgtm.gtm.cli;

import io.mgtm.gtm.node.admin.NodeStatus;
import java.io.IOException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node says of its group, with what only the leader knows: how far the others are. The
 * leader is asked first, so that no figure of the node is older than what the leader knows of it,
 * and both must be of one term. Any thread that may block.
 */
final class GroupLook {
  private static final Logger LOG = LoggerFactory.getLogger(GroupLook.class);

  /** While leaders follow each other, so often at most. */
  private static final int TRIES = 3;

  /** Asks a node for its status. */
  interface Asking {
    NodeStatus ask(NodeAddress node) throws IOException;
  }

  private final NodeAddress at;
  private final Asking asking;

  GroupLook(NodeAddress at, Asking asking) {
    this.at = at;
    this.asking = asking;
  }

  /**
   * Looks.
   *
   * @param first what the node said, which tells where its leader is
   * @return what the node says; of the others too, unless no leader answers
   */
  NodeStatus from(NodeStatus first) {
    NodeStatus own = first;
    for (int i = 0; i < TRIES && !own.leads() && !own.leaderAddress().isEmpty(); i++) {
      try {
        NodeStatus leader = asking.ask(NodeAddress.parse(own.leaderAddress()));
        own = asking.ask(at);
        if (leader.leads() && leader.term() == own.term()) {
          return both(own, leader);
        }
      } catch (IOException e) {
        LOG.debug("It does not answer", e);
        return own;
      }
    }
    return own;
  }

  private static NodeStatus both(NodeStatus own, NodeStatus leader) {
    return new NodeStatus(
        own.member(),
        own.mode(),
        own.role(),
        own.serving(),
        leader.transferring(),
        own.term(),
        own.leader(),
        own.leaderAddress(),
        own.lastIndex(),
        own.committedIndex(),
        own.appliedIndex(),
        leader.durability(),
        own.sessions(),
        leader.members(),
        Stream.concat(
                own.warnings().stream(),
                leader.warnings().stream()
                    .map(said -> "%s says: %s".formatted(leader.member(), said)))
            .toList(),
        own.trouble());
  }
}
