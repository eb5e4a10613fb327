package io.mgtm.gtm.cli;

import io.mgtm.common.SecretFile;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.wire.link.LinkSecret;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.SocketFactory;
import picocli.CommandLine.Option;

/** How an operator's link to a node is secured. */
final class LinkOptions {
  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description = "Its first line is the group's secret, as in links.secretFile.")
  private Path secretFile;

  @Option(names = "--tls", description = "Encrypts the link.")
  private boolean tls;

  @Option(
      names = "--trust",
      paramLabel = "PEM",
      description = "Authorities that the node's certificate may come from. Default: Java's own.")
  private Path trust;

  @Option(
      names = "--certificate",
      paramLabel = "PEM",
      description = "This operator's certificate, where the node asks for one.")
  private Path certificate;

  @Option(names = "--key", paramLabel = "PEM", description = "The key of --certificate.")
  private Path key;

  /** A link to a node. */
  AdminClient connect(NodeAddress at, int timeoutMs) throws IOException {
    return AdminClient.connect(
        at.resolve(), new AdminClient.Settings(timeoutMs, secret(), sockets()));
  }

  /** Whether the operator said how, which only a node of mgtm understands. */
  boolean isGiven() {
    return secretFile != null || tls || trust != null || certificate != null || key != null;
  }

  private LinkSecret secret() throws IOException {
    if (secretFile == null) {
      return null;
    }
    return new LinkSecret(SecretFile.firstLine("--secret-file", secretFile));
  }

  private SocketFactory sockets() throws IOException {
    if (!tls) {
      return SocketFactory.getDefault();
    }
    try {
      SslContextBuilder builder =
          SslContextBuilder.forClient().sslProvider(SslProvider.JDK).protocols("TLSv1.3");
      if (trust != null) {
        builder.trustManager(trust.toFile());
      }
      if (certificate != null) {
        builder.keyManager(certificate.toFile(), key == null ? null : key.toFile());
      }
      return ((JdkSslContext) builder.build()).context().getSocketFactory();
    } catch (IllegalArgumentException e) {
      throw new IOException("cannot use --trust, --certificate and --key: " + e.getMessage(), e);
    }
  }
}
