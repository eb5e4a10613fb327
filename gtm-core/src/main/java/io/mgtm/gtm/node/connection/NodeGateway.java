package io.mgtm.gtm.node.connection;

import io.mgtm.common.HostPort;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.gateway.GatewayMetrics;
import io.mgtm.gtm.gateway.GatewaySettings;
import io.mgtm.gtm.gateway.LinkNodes;
import io.mgtm.gtm.gateway.TcpLinks;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.List;

/**
 * The gateway through which a member of a group serves its own XC clients, whoever leads: to its
 * own engine without a socket, to the other members' over links. So a client may be pointed at any
 * member.
 */
public final class NodeGateway {
  private NodeGateway() {}

  /**
   * Makes the gateway; {@link Gateway#start} begins it.
   *
   * @param address where other gateways reach this node
   * @param tls for links to other members, or null
   */
  public static Gateway of(
      GtmConfig config,
      HostPort address,
      LinkService service,
      SslContext tls,
      EventLoop owner,
      GatewayMetrics metrics) {
    String name = config.group().name();
    TcpLinks others =
        new TcpLinks(
            owner, new TcpLinks.Identity(name, GatewayKind.NODE, service.keys().own(), tls));
    LinkNodes nodes =
        new LinkNodes(
            List.of(LocalLink.connector(name, address.toString(), service, owner)),
            to -> others.to(HostPort.parse(to)));
    GtmConfig.LimitsConfig limits = config.limits();
    return Gateway.ofGroup(
        name,
        new GatewaySettings(
            Math.min(limits.connectionsMax(), GatewaySettings.CONNECTIONS_MAX),
            limits.frameBytesMax(),
            limits.outboundBytesMax(),
            config.timeouts(),
            List.of()),
        owner,
        nodes,
        metrics,
        service.fatal());
  }
}
