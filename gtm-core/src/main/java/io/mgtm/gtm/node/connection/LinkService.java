package io.mgtm.gtm.node.connection;

import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.net.ClientTimeouts;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.admin.AdminService;
import io.mgtm.gtm.node.engine.CommandEngine;
import io.mgtm.gtm.node.engine.RequestMetrics;
import java.io.IOException;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the links of this node have in common.
 *
 * @param keys what links may do
 * @param begun of frames that whoever has shown no secret has begun
 * @param fatal told when an invariant is broken
 */
public record LinkService(
    CommandEngine engine,
    LinkPeers peers,
    AdminService admin,
    LinkKeys keys,
    ClientTimeouts timeouts,
    PartialBudget begun,
    RequestMetrics metrics,
    Consumer<Throwable> fatal) {
  private static final Logger log = LoggerFactory.getLogger(LinkService.class);
  private static final Rarely STRANGERS = new Rarely();
  private static final Rarely HANDSHAKES = new Rarely();

  /** This node closes a link for what the other side did. */
  void closing(String peer, String why) {
    STRANGERS.run(more -> log.info("Closing the link of {}: {}{}", peer, why, more));
    metrics.protocolError();
  }

  /**
   * A link met an exception or an error; one of the network is nothing special, and one of TLS is
   * told.
   */
  void failed(String peer, Throwable cause) {
    if (cause instanceof SSLException || cause.getCause() instanceof SSLException) {
      String why = ConnectionErrors.reason(cause, "links.");
      HANDSHAKES.run(more -> log.info("No TLS with the link of {}: {}{}", peer, why, more));
    } else if (cause instanceof IOException) {
      log.debug("The link of {}: {}", peer, cause.toString());
    } else {
      log.error("Closing the link of {} for an error in its handler", peer, cause);
    }
  }
}
