package io.mgtm.gtm.server;

import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.wire.link.LinkSecret;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the links of this node have in common.
 *
 * @param secret null when fronts need none
 * @param fatal told when an invariant is broken
 */
record LinkService(
    CommandEngine engine,
    LinkPeers peers,
    AdminService admin,
    LinkSecret secret,
    GtmConfig.Timeouts timeouts,
    GtmMetrics metrics,
    Consumer<Throwable> fatal) {
  private static final Logger log = LoggerFactory.getLogger(LinkService.class);

  /** A link met an exception; one of the network is nothing special. */
  void failed(String peer, boolean network, Throwable cause) {
    if (network || cause.getCause() instanceof SSLException) {
      log.debug("The link of {}: {}", peer, cause.toString());
    } else {
      fatal.accept(cause);
    }
  }
}
