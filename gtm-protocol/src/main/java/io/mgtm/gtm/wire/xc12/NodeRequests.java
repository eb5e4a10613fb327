package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.NodeCommand;
import io.mgtm.gtm.command.NodeCommand.NodeAddress;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.command.SessionCommand.DisconnectBackend;
import io.mgtm.gtm.wire.WireException;

/** The bodies of node commands (register_gtm.c, register_common.c). */
final class NodeRequests {
  /** Type, four lengths, port and status of a serialized node (gtm_serialize.c). */
  private static final int FIXED_BYTES = 7 * Integer.BYTES;

  static final RequestBody<NodeCommand.Register> REGISTER =
      new RequestBody<>(
          (in, session, backend) -> register(in, session),
          (out, c) -> {
            NodeAddress node = c.node();
            out.putHostInt(node.nodeType().code()).putString(node.name()).putString(node.host());
            out.putHostInt(node.port()).putString(node.proxyName()).putString(node.dataFolder());
            out.putInt(Serialized.NODE_CONNECTED);
          });

  static final RequestBody<NodeCommand.Unregister> UNREGISTER =
      new RequestBody<>(
          (in, session, backend) -> new NodeCommand.Unregister(nodeType(in), name(in)),
          (out, c) -> out.putHostInt(c.nodeType().code()).putString(c.name()));

  static final RequestBody<DisconnectBackend> DISCONNECT =
      new RequestBody<>(
          NodeRequests::disconnect,
          (out, c) -> {
            out.putBoolean(c.postmaster());
            if (c.postmaster()) {
              out.putHostInt(c.nodeType().code()).putString(c.nodeName());
            }
          });

  private NodeRequests() {}

  private static NodeCommand.Register register(FrameReader in, long session) throws WireException {
    NodeType type = nodeType(in);
    String name = name(in);
    String host = NameRules.requireText("host", in.readString("host", FrameLimits.NODE_BYTES_MAX));
    int port = in.readHostInt();
    String proxy =
        NameRules.requireText(
            "proxy name", in.readString("proxy name", FrameLimits.NODE_BYTES_MAX));
    String folder =
        NameRules.requireText(
            "data folder", in.readString("data folder", FrameLimits.NODE_BYTES_MAX));
    // The sender's view of its own status; registering makes it connected.
    in.readInt();
    int bytes = FIXED_BYTES + name.length() + host.length() + proxy.length() + folder.length();
    if (bytes > FrameLimits.NODE_BYTES_MAX) {
      throw new WireException(
          "NODE_REGISTER: names, host and data folder take "
              + bytes
              + " bytes together, clients can list "
              + FrameLimits.NODE_BYTES_MAX);
    }
    if (port < 0 || port > 0xffff) {
      throw new WireException(
          "NODE_REGISTER: " + Integer.toUnsignedString(port) + " is no TCP port");
    }
    return new NodeCommand.Register(
        session, new NodeAddress(type, name, proxy, host, port, folder));
  }

  private static DisconnectBackend disconnect(FrameReader in, long session, short backend)
      throws WireException {
    boolean postmaster = in.readBoolean();
    return postmaster
        ? new DisconnectBackend(session, backend, true, nodeType(in), name(in))
        : new DisconnectBackend(session, backend, false, null, "");
  }

  private static NodeType nodeType(FrameReader in) throws WireException {
    int code = in.readHostInt();
    NodeType type = NodeType.ofCode(code);
    if (type == null) {
      throw new WireException("unknown node type " + code);
    }
    return type;
  }

  private static String name(FrameReader in) throws WireException {
    return NameRules.requireName(
        "node name", in.readString("node name", FrameLimits.NODE_BYTES_MAX));
  }
}
