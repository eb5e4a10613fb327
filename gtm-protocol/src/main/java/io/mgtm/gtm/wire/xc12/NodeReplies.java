package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.NodeType;
import io.mgtm.gtm.wire.WireException;
import java.util.ArrayList;
import java.util.List;

/** The bodies of replies to node commands (register_gtm.c). */
final class NodeReplies {
  static final ReplyBody<NodeReply.Registered> REGISTERED =
      new ReplyBody<>(
          in -> new NodeReply.Registered(type(in), name(in)),
          (out, r) -> out.putHostInt(r.nodeType().code()).putString(r.name()));

  static final ReplyBody<NodeReply.Unregistered> UNREGISTERED =
      new ReplyBody<>(
          in -> new NodeReply.Unregistered(type(in), name(in)),
          (out, r) -> out.putHostInt(r.nodeType().code()).putString(r.name()));

  static final ReplyBody<NodeReply.NodeList> LIST =
      ReplyBody.counted(
          NodeReplies::nodes,
          NodeReply.NodeList::nodes,
          r -> r.nodes().stream().mapToLong(n -> Integer.BYTES + Serialized.nodeBytes(n)).sum(),
          Serialized::putNode);

  private NodeReplies() {}

  private static NodeType type(FrameReader in) throws WireException {
    return Serialized.nodeType(in.readHostInt());
  }

  private static String name(FrameReader in) throws WireException {
    return in.readString("node name", FrameLimits.NODE_BYTES_MAX);
  }

  private static NodeReply.NodeList nodes(FrameReader in) throws WireException {
    int count = in.readListCount(Integer.BYTES + Serialized.NODE_BYTES);
    List<NodeReply.NodeInfo> nodes = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      nodes.add(Serialized.readNode(in));
    }
    return new NodeReply.NodeList(nodes);
  }
}
