package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.Reply.Reason;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The registered nodes of the cluster, and over which session each is connected. */
final class NodeRegistry {
  /** The session of a node that is not connected. */
  static final long DISCONNECTED = -1;

  /** Names are unique within a type. */
  record NodeKey(NodeType type, String name) implements Comparable<NodeKey> {
    private static final Comparator<NodeKey> ORDER =
        Comparator.comparingInt((NodeKey k) -> k.type().code()).thenComparing(NodeKey::name);

    @Override
    public int compareTo(NodeKey other) {
      return ORDER.compare(this, other);
    }
  }

  /** A registered node. */
  record Node(NodeAddress address, long session) {
    boolean connected() {
      return session != DISCONNECTED;
    }
  }

  private final SortedMap<NodeKey, Node> nodes = new TreeMap<>();

  /** As it is now. */
  NodeRegistry picture() {
    NodeRegistry picture = new NodeRegistry();
    picture.nodes.putAll(nodes);
    return picture;
  }

  int count() {
    return nodes.size();
  }

  Collection<Node> all() {
    return nodes.values();
  }

  void put(Node node) {
    nodes.put(new NodeKey(node.address().nodeType(), node.address().name()), node);
  }

  Reply register(NodeCommand.Register c, Applying applying) {
    NodeAddress address = c.node();
    NodeKey key = new NodeKey(address.nodeType(), address.name());
    Node present = nodes.get(key);
    if (present != null && present.connected()) {
      return new Reply.Rejected(
          Reason.NODE_CONNECTED,
          "node \"" + Names.printable(address.name()) + "\" is registered and connected already",
          "Stop the other node of this name, or wait until its connection is found dead.");
    }
    if (present == null && nodes.size() >= applying.limits.nodesMax()) {
      return new Reply.Rejected(
          Reason.NODE_LIMIT,
          "the limit of " + applying.limits.nodesMax() + " nodes is reached",
          "Raise limits.nodesMax, or unregister nodes that are gone.");
    }
    nodes.put(key, new Node(address, c.session()));
    applying.did(Effect.FORCED);
    return new NodeReply.Registered(address.nodeType(), address.name());
  }

  Reply unregister(NodeCommand.Unregister c, Applying applying) {
    if (nodes.remove(new NodeKey(c.nodeType(), c.name())) == null) {
      return new Reply.Rejected(
          Reason.NO_SUCH_NODE, "node \"" + Names.printable(c.name()) + "\" is not registered", "");
    }
    applying.did(Effect.FORCED);
    return new NodeReply.Unregistered(c.nodeType(), c.name());
  }

  /** So many at most. */
  List<NodeReply.NodeInfo> list(int max) {
    return nodes.values().stream()
        .limit(max)
        .map(n -> new NodeReply.NodeInfo(n.address(), n.connected()))
        .toList();
  }

  /** Disconnects the nodes that registered over this session; true when there was one. */
  boolean disconnectSession(long session) {
    boolean any = false;
    for (Map.Entry<NodeKey, Node> e : nodes.entrySet()) {
      if (e.getValue().session() == session) {
        e.setValue(new Node(e.getValue().address(), DISCONNECTED));
        any = true;
      }
    }
    return any;
  }

  /** Disconnects one node, if it registered over this session; true when it did. */
  boolean disconnect(long session, NodeType type, String name) {
    NodeKey key = new NodeKey(type, name);
    Node node = nodes.get(key);
    if (node == null || node.session() != session) {
      return false;
    }
    nodes.put(key, new Node(node.address(), DISCONNECTED));
    return true;
  }

  void disconnectAll() {
    nodes.replaceAll((key, node) -> new Node(node.address(), DISCONNECTED));
  }
}
