package io.mgtm.common;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Option;

/** How a command that asks a server over TLS trusts it and is trusted; a mixin. */
public final class TlsOptions {
  @Option(names = "--tls", description = "Ask over TLS; the other options of TLS do so too.")
  private boolean tls;

  @Option(
      names = "--tls-trust",
      paramLabel = "PEM",
      description = "What the server's certificate is, or is signed by. Default: Java's own.")
  private Path trust;

  @Option(
      names = "--tls-certificate",
      paramLabel = "PEM",
      description = "The certificate that the server is shown.")
  private Path certificate;

  @Option(names = "--tls-key", paramLabel = "PEM", description = "The key of --tls-certificate.")
  private Path key;

  /**
   * What to ask by; none to ask in the clear.
   *
   * @throws IOException that names the options, when a file cannot be used or one is missing
   */
  public Optional<SSLContext> context() throws IOException {
    if (!tls && trust == null && certificate == null && key == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new TlsFiles("--tls-", certificate, key, trust).client(TlsFiles.VERSION).context());
    } catch (IllegalArgumentException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
