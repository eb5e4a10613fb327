package io.mgtm.proxy;

import io.mgtm.gtm.wire.link.LinkSecret;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
   * @throws IOException when the file cannot be read, or has no first line
   */
  static LinkSecret secret(Path file) throws IOException {
    if (file == null) {
      return null;
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IOException("cannot read secretFile " + file + ": " + e, e);
    }
    String secret = lines.isEmpty() ? "" : lines.get(0).strip();
    if (secret.isEmpty()) {
      throw new IOException("secretFile " + file + " has an empty first line");
    }
    return new LinkSecret(secret);
  }
}
