package io.mgtm.query.connection;

import io.mgtm.common.TlsFiles;
import io.mgtm.query.config.QueryConfig;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Locale;

/** Keys, certificates and the password, from their files. */
public final class Keys {
  private static final String[] PROTOCOLS = {"TLSv1.3", "TLSv1.2"};
  private static final byte[] NONE = {};

  private Keys() {}

  /** TLS to clients, null when it is not set. */
  public static SslContext toClients(QueryConfig.Tls tls) throws IOException {
    return tls.certificate() == null
        ? null
        : new TlsFiles("tls.", tls.certificate(), tls.key(), null).server(PROTOCOLS);
  }

  /** TLS to servers, whose certificates must bear their names; null when it is not set. */
  static SslContext toServers(QueryConfig.ServerTls tls) throws IOException {
    return tls.trust() == null
        ? null
        : new TlsFiles("serverTls.", null, null, tls.trust()).client(PROTOCOLS);
  }

  /**
   * The data of the channel binding tls-server-end-point (RFC 5929): the hash of the certificate,
   * with the hash of its signature, or SHA-256 where that is weaker. Empty without TLS, and for
   * signatures that name no hash: channel binding is then not offered.
   */
  public static byte[] endPoint(QueryConfig.Tls tls) throws IOException {
    if (tls.certificate() == null) {
      return NONE;
    }
    try (InputStream in = Files.newInputStream(tls.certificate())) {
      X509Certificate certificate =
          (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(in);
      String signature = certificate.getSigAlgName().toUpperCase(Locale.ROOT);
      int with = signature.indexOf("WITH");
      if (with < 0) {
        return NONE;
      }
      String hash = signature.substring(0, with).replaceFirst("^SHA(?=\\d)", "SHA-");
      if (hash.equals("MD5") || hash.equals("SHA-1")) {
        hash = "SHA-256";
      }
      return MessageDigest.getInstance(hash).digest(certificate.getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IOException(
          "cannot use tls.certificate " + tls.certificate() + ": " + e.getMessage(), e);
    }
  }

  /** The first line of a file; null when none is set. */
  public static String password(Path file) throws IOException {
    if (file == null) {
      return null;
    }
    List<String> lines;
    try {
      lines = Files.readAllLines(file);
    } catch (IOException e) {
      throw new IOException("cannot read role.passwordFile " + file + ": " + e, e);
    }
    if (lines.isEmpty() || lines.get(0).isEmpty()) {
      throw new IOException("role.passwordFile " + file + " has an empty first line");
    }
    return lines.get(0);
  }
}
