package io.mgtm.ha.cli;

import io.mgtm.common.ConfigException;
import io.mgtm.common.SecretFile;
import io.mgtm.ha.api.OperatorToken;
import io.mgtm.ha.config.ClusterFile;
import io.mgtm.ha.model.Node;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The secret of the cluster that this machine is of, for whoever may read it: so commands need no
 * option where another controller than this machine's answers. Only controllers of that cluster are
 * shown what follows from it, and none in the clear where they speak TLS.
 */
final class MachineSecret {
  static final Path CONFIGURATION = Path.of("/etc/mgtm/ha.yaml");

  private final Path configuration;

  MachineSecret(Path configuration) {
    this.configuration = configuration;
  }

  /** The headers that prove it to a controller; none when there is no such secret, or no need. */
  Map<String, String> proof(URI to) {
    if (!Files.isReadable(configuration)) {
      return Map.of();
    }
    try {
      ClusterFile file = ClusterFile.read(configuration, HaMain.KITS);
      boolean ours =
          file.config().nodes().values().stream()
              .map(Node::api)
              .anyMatch(api -> api.toString().equals(to.getRawAuthority()));
      boolean safe = file.tls().certificate() == null || "https".equals(to.getScheme());
      if (!ours || !safe || file.secretFile().isEmpty()) {
        return Map.of();
      }
      String secret = SecretFile.ofLinks("secretFile", file.secretFile().get());
      return Map.of("Authorization", "Bearer " + OperatorToken.of(secret));
    } catch (ConfigException | IOException e) {
      return Map.of(); // what the controller says is told
    }
  }
}
