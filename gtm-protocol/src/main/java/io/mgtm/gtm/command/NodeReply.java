package io.mgtm.gtm.command;

import java.util.List;

/** Answers to {@link NodeCommand}. */
public sealed interface NodeReply extends Reply {

  /** The node is registered and connected. */
  record Registered(NodeType nodeType, String name) implements NodeReply {}

  /** The node is forgotten. */
  record Unregistered(NodeType nodeType, String name) implements NodeReply {}

  /** One node; not {@code connected} once its session has gone. */
  record NodeInfo(NodeCommand.NodeAddress address, boolean connected) {}

  /** Every registered node, by type and name. */
  record NodeList(List<NodeInfo> nodes) implements NodeReply {}
}
