package io.mgtm.proxy;

import io.mgtm.common.SecretFile;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Path;

/** The keys and the secret of links, from their files. */
final class Keys {
  private Keys() {}

  /**
   * TLS to nodes, null when it is not set.
   *
   * @throws IOException when a file cannot be read, or is not what it should be
   */
  static SslContext tls(ProxyConfig.Tls tls) throws IOException {
    if (tls.trust() == null) {
      return null;
    }
    try {
      SslContextBuilder builder =
          SslContextBuilder.forClient().trustManager(tls.trust().toFile()).protocols("TLSv1.3");
      if (tls.certificate() != null) {
        builder.keyManager(tls.certificate().toFile(), tls.key().toFile());
      }
      return builder.build();
    } catch (IOException | IllegalArgumentException e) {
      throw new IOException(
          "cannot use the keys of tls.trust %s, tls.certificate %s, tls.key %s: %s"
              .formatted(tls.trust(), tls.certificate(), tls.key(), e.getMessage()),
          e);
    }
  }

  /**
   * The secret, null when none is set.
   *
   * @throws IOException when the file cannot be read, or does not hold a secret
   */
  static LinkSecret secret(Path file) throws IOException {
    if (file == null) {
      return null;
    }
    return new LinkSecret(SecretFile.ofLinks("secretFile", file));
  }
}
