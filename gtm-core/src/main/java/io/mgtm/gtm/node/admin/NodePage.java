package io.mgtm.gtm.node.admin;

import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.NodeReply.NodeInfo;
import java.util.List;
import java.util.Locale;

/**
 * What a node shows at {@code /status} beside its metrics, as JSON: what {@code ADMIN status} says,
 * and who connects.
 *
 * @param gateways proxies and other nodes that are linked to this one, where they are too
 * @param nodes coordinators and datanodes that are registered; a node that does not lead may be
 *     behind
 */
public record NodePage(NodeStatus status, List<String> gateways, List<Registered> nodes) {
  /** No more of each are shown. */
  public static final int SHOWN_MAX = 64;

  /** A coordinator or datanode. */
  public record Registered(String type, String name, boolean connected) {}

  /** Of a node that stands so. */
  public static NodePage of(NodeStatus status, List<String> gateways, List<NodeInfo> nodes) {
    return new NodePage(
        status,
        gateways,
        nodes.stream()
            .map(
                node ->
                    new Registered(
                        node.address().nodeType().name().toLowerCase(Locale.ROOT),
                        Names.printable(node.address().name()),
                        node.connected()))
            .toList());
  }
}
