package io.mgtm.gtm.command;

import java.nio.ByteBuffer;
import java.util.List;

/** Answers to {@link NodeCommand}. */
public sealed interface NodeReply extends Reply {

  /** The node is registered and connected. */
  record Registered(NodeType nodeType, String name) implements NodeReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.REGISTERED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) nodeType.code());
      FieldWriter.putString(out, name);
    }

    @Override
    public int variableBytes() {
      return FieldWriter.sizeOf(name);
    }

    static Registered read(ByteBuffer in) {
      return new Registered(FieldReader.getNodeType(in), FieldReader.getString(in));
    }
  }

  /** The node is forgotten. */
  record Unregistered(NodeType nodeType, String name) implements NodeReply, Kept {
    @Override
    public ReplyType type() {
      return ReplyType.UNREGISTERED;
    }

    @Override
    public void write(ByteBuffer out) {
      out.put((byte) nodeType.code());
      FieldWriter.putString(out, name);
    }

    @Override
    public int variableBytes() {
      return FieldWriter.sizeOf(name);
    }

    static Unregistered read(ByteBuffer in) {
      return new Unregistered(FieldReader.getNodeType(in), FieldReader.getString(in));
    }
  }

  /** One node; not {@code connected} once its session has gone. */
  record NodeInfo(NodeCommand.NodeAddress address, boolean connected) {}

  /** Every registered node, by type and name. */
  record NodeList(List<NodeInfo> nodes) implements NodeReply {
    @Override
    public ReplyType type() {
      return ReplyType.NODE_LIST;
    }
  }
}
