package io.mgtm.common;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

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
import java.util.Locale;
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

  private static final String CERTIFICATE = "certificate";
  private static final String PRIVATE_KEY = "private key";
  private static final int BYTES_MAX = 1 << 20;

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
    check("certificate", certificate, CERTIFICATE);
    check("key", key, PRIVATE_KEY);
    check("trust", trust, CERTIFICATE);
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

  private void check(String setting, Path file, String kind) throws IOException {
    if (file == null) {
      return;
    }
    String pem;
    try (InputStream in = Files.newInputStream(file)) {
      pem = new String(in.readNBytes(BYTES_MAX), ISO_8859_1);
    } catch (IOException e) {
      throw new IOException(
          "cannot read %s: %s".formatted(named(setting, file), FileErrors.reason(e)), e);
    }
    String other = kind.equals(CERTIFICATE) ? PRIVATE_KEY : CERTIFICATE;
    if (!holds(pem, kind) && holds(pem, other)) {
      throw new IOException(
          "cannot use %s: it holds a %s and no %s; exchange the files, or name another one"
              .formatted(named(setting, file), other, kind));
    }
    if (kind.equals(PRIVATE_KEY) && pem.contains("ENCRYPTED")) {
      throw new IOException(
          "cannot use %1$s: the key is encrypted with a passphrase, which nothing is asked for; write it without one: openssl pkey -in %2$s -out NEW, and keep that file from others"
              .formatted(named(setting, file), file));
    }
  }

  private static boolean holds(String pem, String kind) {
    return pem.contains(kind.toUpperCase(Locale.ROOT) + "-----");
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
