package io.mgtm.gtm.server;

import io.mgtm.gtm.config.LinksConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;

/** The keys of links, from their files. */
final class LinkTls {
  private LinkTls() {}

  /**
   * TLS for the node's side of links, null when it is not set.
   *
   * @throws IOException when a file cannot be read, or is not what it should be
   */
  static SslContext server(LinksConfig links) throws IOException {
    if (links.certificate() == null) {
      return null;
    }
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(links.certificate().toFile(), links.key().toFile())
              .protocols("TLSv1.3");
      if (links.trust() != null) {
        builder.trustManager(links.trust().toFile()).clientAuth(ClientAuth.REQUIRE);
      }
      return builder.build();
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "cannot use the keys of links.certificate %s and links.key %s: %s"
              .formatted(links.certificate(), links.key(), e.getMessage()),
          e);
    }
  }

  /**
   * TLS for this node's links to other members, null when it is not set. They are trusted as
   * gateways are, or, where gateways show no certificate, when they show this node's own.
   *
   * @throws IOException when a file cannot be read, or is not what it should be
   */
  static SslContext client(LinksConfig links) throws IOException {
    if (links.certificate() == null) {
      return null;
    }
    try {
      return SslContextBuilder.forClient()
          .protocols("TLSv1.3")
          .keyManager(links.certificate().toFile(), links.key().toFile())
          .trustManager((links.trust() == null ? links.certificate() : links.trust()).toFile())
          .build();
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "cannot use links.trust %s: %s".formatted(links.trust(), e.getMessage()), e);
    }
  }
}
