package io.mgtm.common;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The files of TLS, PEM each, as settings name them.
 *
 * @param prefix what the settings' names begin with, such as {@code links.} or {@code --tls-}
 * @param certificate this side's certificate chain, or null
 * @param key its private key, or null
 * @param trust what the other side's certificate must be, or be signed by; null for the JDK's
 *     authorities, and on a server for asking for no certificate
 */
public record TlsFiles(String prefix, Path certificate, Path key, Path trust) {
  /** What the programs of mgtm speak with each other, which need no older one. */
  public static final String VERSION = "TLSv1.3";

  /**
   * Refuses half a pair.
   *
   * @throws IllegalArgumentException that names both settings
   */
  public TlsFiles {
    if ((certificate == null) != (key == null)) {
      throw new IllegalArgumentException(
          "%1$scertificate and %1$skey are set together, or neither is".formatted(prefix));
    }
  }

  /**
   * The side that is connected to; it has a certificate.
   *
   * @throws IOException that names the settings, when a file cannot be read or used
   */
  public JdkSslContext server(String... versions) throws IOException {
    return context(true, versions);
  }

  /**
   * The side that connects, and wants the other side's certificate to bear the name that it
   * connects to.
   *
   * @throws IOException that names the settings, when a file cannot be read or used
   */
  public JdkSslContext client(String... versions) throws IOException {
    return context(false, versions);
  }

  private JdkSslContext context(boolean server, String... versions) throws IOException {
    checkReadable("certificate", certificate);
    checkReadable("key", key);
    checkReadable("trust", trust);
    File chain = certificate == null ? null : certificate.toFile();
    try {
      if (chain != null && !KeyPairs.belong(chain, key.toFile())) {
        throw new IOException("the key is not that of the certificate");
      }
      SslContextBuilder builder =
          server
              ? SslContextBuilder.forServer(chain, key.toFile())
              : SslContextBuilder.forClient().endpointIdentificationAlgorithm("HTTPS");
      if (!server && chain != null) {
        builder.keyManager(chain, key.toFile());
      }
      if (trust != null) {
        builder.trustManager(trust.toFile()).clientAuth(ClientAuth.REQUIRE);
      }
      return (JdkSslContext) builder.sslProvider(SslProvider.JDK).protocols(versions).build();
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IOException("cannot use " + this + ": " + e.getMessage(), e);
    }
  }

  private void checkReadable(String setting, Path file) throws IOException {
    if (file == null) {
      return;
    }
    try (InputStream in = Files.newInputStream(file)) {
      in.read();
    } catch (IOException e) {
      throw new IOException(
          "cannot read %s: %s".formatted(named(setting, file), FileErrors.reason(e)), e);
    }
  }

  /** The settings that are there, with their files. */
  @Override
  public String toString() {
    return Stream.of(named("certificate", certificate), named("key", key), named("trust", trust))
        .filter(setting -> !setting.isEmpty())
        .collect(Collectors.joining(", "));
  }

  private String named(String setting, Path file) {
    return file == null ? "" : prefix + setting + " " + file;
  }
}
