package io.mgtm.gtm.command;

/** Commands on the registry of cluster nodes. */
public sealed interface NodeCommand extends Command {

  /**
   * What a node says of itself.
   *
   * @param proxyName the proxy that it goes through, or empty
   * @param port a TCP port
   */
  record NodeAddress(
      NodeType nodeType, String name, String proxyName, String host, int port, String dataFolder) {}

  /** A node registers over this session. */
  record Register(long session, NodeAddress node) implements NodeCommand {
    @Override
    public CommandType type() {
      return CommandType.REGISTER_NODE;
    }
  }

  /** A node leaves for good. */
  record Unregister(NodeType nodeType, String name) implements NodeCommand {
    @Override
    public CommandType type() {
      return CommandType.UNREGISTER_NODE;
    }
  }

  /** Asks for every registered node. */
  record ListAll() implements NodeCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_NODES;
    }
  }
}
