package io.mgtm.gtm.command;

import java.nio.ByteBuffer;

/** Commands on the registry of cluster nodes. */
public sealed interface NodeCommand extends Command {

  /**
   * What a node says of itself.
   *
   * @param proxyName the proxy that it goes through, or empty
   * @param port a TCP port
   */
  record NodeAddress(
      NodeType nodeType, String name, String proxyName, String host, int port, String dataFolder) {

    /** Appends the fields in their order; checkpoints use the same form. */
    public void write(ByteBuffer out) {
      out.put((byte) nodeType.code());
      FieldWriter.putString(out, name);
      FieldWriter.putString(out, proxyName);
      FieldWriter.putString(out, host);
      out.putInt(port);
      FieldWriter.putString(out, dataFolder);
    }

    /** Reads what {@link #write} wrote. */
    public static NodeAddress read(ByteBuffer in) {
      return new NodeAddress(
          FieldReader.getNodeType(in),
          FieldReader.getString(in),
          FieldReader.getString(in),
          FieldReader.getString(in),
          in.getInt(),
          FieldReader.getString(in));
    }
  }

  /** A node registers over this session. */
  record Register(long session, NodeAddress node) implements NodeCommand, OfSession {
    @Override
    public CommandType type() {
      return CommandType.REGISTER_NODE;
    }

    @Override
    public void write(ByteBuffer out) {
      out.putLong(session);
      node.write(out);
    }

    static Register read(ByteBuffer in) {
      return new Register(in.getLong(), NodeAddress.read(in));
    }
  }

  /** A node leaves for good. */
  record Unregister(NodeType nodeType, String name) implements NodeCommand {
    @Override
    public CommandType type() {
      return CommandType.UNREGISTER_NODE;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) nodeType.code());
      FieldWriter.putString(out, name);
    }

    static Unregister read(ByteBuffer in) {
      return new Unregister(FieldReader.getNodeType(in), FieldReader.getString(in));
    }
  }

  /** Asks for every registered node. */
  record ListAll() implements NodeCommand {
    @Override
    public CommandType type() {
      return CommandType.LIST_NODES;
    }

    @Override
    public void write(ByteBuffer out) {}
  }
}
