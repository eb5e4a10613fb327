package io.mgtm.ha.cli;

import io.mgtm.common.Ask;
import io.mgtm.common.HostPort;
import io.mgtm.common.SecretFile;
import io.mgtm.common.TlsOptions;
import io.mgtm.ha.api.OperatorToken;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How commands ask a controller that runs. Any will do: one that does not lead names the one that
 * does.
 */
final class AskController extends Ask {
  /** The controller itself waits 30 s for a decision. */
  private static final Duration ANSWER = Duration.ofSeconds(40);

  @Option(
      names = "--secret-file",
      paramLabel = "FILE",
      description =
          "The cluster's secret, which proves an administrator on its machines. Default: what"
              + " /etc/mgtm/ha.yaml names, where it can be read, for the controllers in it.")
  private Path secretFile;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = "Its first line is the operator's token, needed from another machine.")
  private Path tokenFile;

  @Mixin private TlsOptions tls;

  private final MachineSecret machine = new MachineSecret(MachineSecret.CONFIGURATION);

  AskController() {
    super("a controller", HostPort.parse("127.0.0.1:7902"), ANSWER);
  }

  @Override
  protected Map<String, String> headers() throws IOException {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Mgtm-Operator", System.getProperty("user.name", "operator"));
    if (secretFile != null && tokenFile != null) {
      throw new IOException("--secret-file and --token-file do not go together: give one of them");
    }
    if (secretFile != null) {
      String secret = SecretFile.firstLine("--secret-file", secretFile);
      headers.put("Authorization", "Bearer " + OperatorToken.of(secret));
    }
    if (tokenFile != null) {
      headers.put("Authorization", "Bearer " + SecretFile.firstLine("--token-file", tokenFile));
    }
    return headers;
  }

  @Override
  protected Map<String, String> proof(URI to) {
    return secretFile != null || tokenFile != null ? Map.of() : machine.proof(to);
  }

  @Override
  protected Optional<SSLContext> tls() throws IOException {
    return tls.context();
  }
}
