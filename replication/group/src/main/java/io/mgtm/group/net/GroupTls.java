package io.mgtm.group.net;

import io.mgtm.common.FileErrors;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.UnrecoverableKeyException;
import java.util.Collections;
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
      refuseWithoutKey(store);
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
          "The key store %s cannot be used: %s".formatted(keys.keyStore(), why(e)),
          e);
    }
  }

  private static String why(Exception e) {
    if (e.getCause() instanceof UnrecoverableKeyException) {
      return "its password is another one";
    }
    if (e instanceof FileSystemException file) {
      return FileErrors.reason(file);
    }
    return e instanceof IOException ? "it is no PKCS #12 file, or is damaged" : e.getMessage();
  }

  /** It would be noticed by the others only, as a member that shows no certificate. */
  private static void refuseWithoutKey(KeyStore store) throws KeyStoreException {
    for (String alias : Collections.list(store.aliases())) {
      if (store.isKeyEntry(alias)) {
        return;
      }
    }
    throw new KeyStoreException("it has no key with its certificate");
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
