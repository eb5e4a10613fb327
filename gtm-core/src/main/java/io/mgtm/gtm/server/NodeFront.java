package io.mgtm.gtm.server;

import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.HostPort;
import io.mgtm.gtm.front.Front;
import io.mgtm.gtm.front.FrontMetrics;
import io.mgtm.gtm.front.FrontSettings;
import io.mgtm.gtm.front.LinkNodes;
import io.mgtm.gtm.front.TcpLinks;
import io.netty.channel.EventLoop;
import io.netty.handler.ssl.SslContext;
import java.util.List;

/**
 * The front through which a member of a group serves its own XC clients, whoever leads: to its own
 * engine without a socket, to the other members' over links. So a client may be pointed at any
 * member.
 */
final class NodeFront {
  private NodeFront() {}

  /**
   * Makes the front; {@link Front#start} begins it.
   *
   * @param address where other fronts reach this node
   * @param tls for links to other members, or null
   */
  static Front of(
      GtmConfig config,
      HostPort address,
      LinkService service,
      SslContext tls,
      EventLoop owner,
      FrontMetrics metrics) {
    String name = config.group().name();
    TcpLinks others =
        new TcpLinks(owner, new TcpLinks.Identity(name, FrontKind.NODE, service.keys().own(), tls));
    LinkNodes nodes =
        new LinkNodes(
            List.of(LocalLink.connector(name, address.toString(), service, owner)),
            to -> others.to(HostPort.parse(to)));
    GtmConfig.LimitsConfig limits = config.limits();
    return Front.ofGroup(
        name,
        new FrontSettings(
            Math.min(limits.connectionsMax(), FrontSettings.CONNECTIONS_MAX),
            limits.frameBytesMax(),
            limits.outboundBytesMax(),
            config.timeouts().startupMs(),
            config.timeouts().frameMs(),
            config.timeouts().outboundMs(),
            List.of()),
        owner,
        nodes,
        metrics,
        service.fatal());
  }
}
