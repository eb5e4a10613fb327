package io.mgtm.proxy;

import io.mgtm.common.SecretFile;
import io.mgtm.common.TlsFiles;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.netty.handler.ssl.SslContext;
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
    return tls.trust() == null
        ? null
        : new TlsFiles("tls.", tls.certificate(), tls.key(), tls.trust()).client("TLSv1.3");
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
