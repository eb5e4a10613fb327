package io.mgtm.ha.config;

import io.mgtm.ha.model.Role;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import javax.security.auth.x500.X500Principal;

/**
 * Who may ask what over the network, beside those who know the cluster's secret.
 *
 * @param tokenFile names of operators with their roles and the hashes of their tokens
 * @param certificates roles by the subjects of clients' certificates
 */
public record AccessConfig(Optional<Path> tokenFile, Map<X500Principal, Role> certificates) {
  /** Nobody. */
  public static final AccessConfig NONE = new AccessConfig(Optional.empty(), Map.of());

  /** Keeps the map immutable. */
  public AccessConfig {
    certificates = Map.copyOf(certificates);
  }
}
