package io.mgtm.gtm.node.connection;

import io.mgtm.common.TlsFiles;
import io.mgtm.gtm.config.LinksConfig;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.nio.file.Path;

/** The keys of links, from their files. */
public final class LinkTls {
  private LinkTls() {}

  /**
   * TLS for the node's side of links, null when it is not set.
   *
   * @throws IOException when a file cannot be read, or is not what it should be
   */
  public static SslContext server(LinksConfig links) throws IOException {
    return links.certificate() == null ? null : files(links, links.trust()).server("TLSv1.3");
  }

  /**
   * TLS for this node's links to other members, null when it is not set. They are trusted as
   * gateways are, or, where gateways show no certificate, when they show this node's own.
   *
   * @throws IOException when a file cannot be read, or is not what it should be
   */
  public static SslContext client(LinksConfig links) throws IOException {
    if (links.certificate() == null) {
      return null;
    }
    return files(links, links.trust() == null ? links.certificate() : links.trust())
        .client("TLSv1.3");
  }

  private static TlsFiles files(LinksConfig links, Path trust) {
    return new TlsFiles("links.", links.certificate(), links.key(), trust);
  }
}
