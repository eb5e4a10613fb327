package io.mgtm.block.wire;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import javax.net.ssl.SSLException;

/**
 * TLS by certificates, or by a pre-shared key for NBD clients. Files are PEM.
 *
 * @param certificate this side's certificate chain, or null
 * @param key this side's private key, or null
 * @param authority whose certificates are believed, or null; when given, a server demands a
 *     client's certificate
 * @param pskFile lines of {@code identity:hexkey}, or null
 */
public record TlsSettings(Path certificate, Path key, Path authority, Path pskFile) {
  /** No TLS. */
  public static final TlsSettings NONE = new TlsSettings(null, null, null, null);

  /** Refuses half a configuration and files that cannot be read. */
  public TlsSettings {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException("TLS needs a certificate and its key together");
    }
    for (Path path : new Path[] {certificate, key, authority, pskFile}) {
      if (path != null && !Files.isReadable(path)) {
        throw new IllegalArgumentException("TLS: " + path + " cannot be read");
      }
    }
    if (pskFile != null && certificate != null) {
      throw new IllegalArgumentException(
          "TLS is either by certificates or by pre-shared keys, not both");
    }
  }

  /** Whether TLS is wanted. */
  public boolean isOn() {
    return certificate != null || pskFile != null;
  }

  /**
   * What makes the handler of each connection to this side, by certificates or pre-shared keys.
   *
   * @throws IOException when a file is not what it should be
   */
  public Function<Channel, ChannelHandler> serverHandlers() throws IOException {
    if (pskFile != null) {
      PskKeys keys = PskKeys.read(pskFile);
      return channel -> new PskTlsHandler(keys);
    }
    SslContext context = server();
    return channel -> context.newHandler(channel.alloc());
  }

  /** The context of a side that is connected to. */
  public SslContext server() throws IOException {
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(certificate.toFile(), key.toFile())
              .protocols("TLSv1.3", "TLSv1.2");
      if (authority != null) {
        builder.trustManager(authority.toFile()).clientAuth(ClientAuth.REQUIRE);
      }
      return builder.build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException(
          "TLS cannot be set up from " + certificate + " and " + key + ": " + e.getMessage(), e);
    }
  }

  /** The context of a side that connects. */
  public SslContext client() throws IOException {
    try {
      SslContextBuilder builder =
          SslContextBuilder.forClient()
              .keyManager(certificate.toFile(), key.toFile())
              .protocols("TLSv1.3", "TLSv1.2");
      if (authority != null) {
        builder.trustManager(authority.toFile());
      }
      return builder.build();
    } catch (SSLException | IllegalArgumentException e) {
      throw new IOException(
          "TLS cannot be set up from " + certificate + " and " + key + ": " + e.getMessage(), e);
    }
  }
}
