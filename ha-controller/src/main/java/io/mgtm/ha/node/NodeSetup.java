package io.mgtm.ha.node;

import io.mgtm.ha.kit.FenceAgent;
import io.mgtm.ha.kit.Kit;
import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.model.ClusterConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * What a controller is started with.
 *
 * @param node its name in the configuration
 * @param config of the file; the replicated one counts once there is one
 * @param data its folder: log, incarnation
 * @param runtime a folder on a file system that is empty after a boot: the watchdog's files, and
 *     those of kits
 * @param secretFile a file with the cluster's secret; none only where all nodes are on loopback
 * @param secret what the paths' messages are sealed with
 * @param kits the kits that there are
 * @param fences by node, what switches it off before what it has is taken over; not all need one
 */
public record NodeSetup(
    String node,
    ClusterConfig config,
    Path data,
    Path runtime,
    Optional<Path> secretFile,
    String secret,
    KitSource kits,
    Map<String, FenceAgent> fences) {

  /** Without fence agents. */
  public NodeSetup(
      String node,
      ClusterConfig config,
      Path data,
      Path runtime,
      Optional<Path> secretFile,
      String secret,
      KitSource kits) {
    this(node, config, data, runtime, secretFile, secret, kits, Map.of());
  }

  /** Finds a kit by its name. */
  public interface KitSource {
    Kit of(String name) throws KitException;
  }
}
