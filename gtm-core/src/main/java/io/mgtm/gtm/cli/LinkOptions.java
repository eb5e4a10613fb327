package io.mgtm.gtm.cli;

import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.SecretFile;
import io.mgtm.common.TlsFiles;
import io.mgtm.gtm.client.AdminClient;
import io.mgtm.gtm.wire.link.LinkSecret;
import java.io.IOException;
import java.nio.file.Path;
import javax.net.SocketFactory;
import javax.net.ssl.SSLException;
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
    AdminClient.Settings settings = new AdminClient.Settings(timeoutMs, secret(), sockets());
    try {
      return AdminClient.connect(at.resolve(), settings);
    } catch (IOException e) {
      if (e.getCause() instanceof SSLException failed) {
        throw new IOException(
            "no TLS with the GTM at %s: %s".formatted(at, ConnectionErrors.reason(failed, "--")),
            e);
      }
      throw e;
    }
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
      return new TlsFiles("--", certificate, key, trust)
          .client("TLSv1.3")
          .context()
          .getSocketFactory();
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
