package io.mgtm.group.net;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;

/** TLS 1.3 between members, with certificates on both sides. */
final class GroupTls {
  private static final int HANDSHAKE_MS = 2_000;

  private final SslContext accepting;
  private final SslContext connecting;

  private GroupTls(SslContext accepting, SslContext connecting) {
    this.accepting = accepting;
    this.connecting = connecting;
  }

  /**
   * With the keys of a file.
   *
   * @throws LogException with ACCESS when they cannot be read or used
   */
  static GroupTls of(JGroupsSettings.Tls keys) {
    char[] password = keys.password().toCharArray();
    try (var in = Files.newInputStream(keys.keyStore())) {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(in, password);
      KeyManagerFactory own =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      own.init(store, password);
      TrustManagerFactory trusted =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trusted.init(store);
      return new GroupTls(
          SslContextBuilder.forServer(own)
              .trustManager(trusted)
              .clientAuth(ClientAuth.REQUIRE)
              .protocols("TLSv1.3")
              .build(),
          // Members are known by the authority that signed their keys, not by host names.
          SslContextBuilder.forClient()
              .keyManager(own)
              .trustManager(trusted)
              .endpointIdentificationAlgorithm(null)
              .protocols("TLSv1.3")
              .build());
    } catch (IOException | GeneralSecurityException e) {
      throw new LogException(
          Category.ACCESS,
          "The keys in %s cannot be used: %s".formatted(keys.keyStore(), e.getMessage()),
          e);
    }
  }

  SslHandler accepting(ByteBufAllocator alloc) {
    return limited(accepting.newHandler(alloc));
  }

  SslHandler connecting(ByteBufAllocator alloc) {
    return limited(connecting.newHandler(alloc));
  }

  private static SslHandler limited(SslHandler handler) {
    handler.setHandshakeTimeoutMillis(HANDSHAKE_MS);
    return handler;
  }
}
