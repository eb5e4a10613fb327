package io.mgtm.bench.ha;

import java.nio.file.Path;

/**
 * What a cluster is made of.
 *
 * @param folder an empty folder for copies, configuration and logs; databases' users get through
 * @param haJar {@code mgtm-ha.jar}
 * @param volumeJar {@code mgtm-volume.jar}
 * @param sites whether the nodes are of different sites, with asynchronous replication
 * @param leaseMs as the configuration's {@code timing.leaseMs}
 * @param localRecoveries as the policy's
 * @param size of the volume, as {@code truncate} takes it
 * @param javaOptions of controllers and agents
 */
record HaSetup(
    Path folder,
    Path haJar,
    Path volumeJar,
    Engine engine,
    boolean sites,
    int leaseMs,
    int localRecoveries,
    String size,
    String javaOptions) {
  /** The default of {@code timing.leaseMs}. */
  static final int LEASE_MS = 4_000;

  /** So long a failover between sites waits for an operator here. */
  static final int SITES_WAIT_MS = 5_000;

  /** So often it may fail here without an operator. */
  static final int OFTEN = 1_000;

  private static final String YAML =
      """
      cluster: faults
      secretFile: %1$s/ha.secret
      timing: {leaseMs: %2$d}
      nodes:
        a: {addresses: [10.77.1.1, 10.77.2.1]%3$s}
        b: {addresses: [10.77.1.2, 10.77.2.2]%4$s}
        w: {addresses: [10.77.1.3, 10.77.2.3], witness: true}
      hierarchies:
        orders:
          nodes: [a, b]
          policy: {localRecoveries: %5$d, failoversMax: %6$d, betweenSitesWaitMs: %7$d}
          resources:
            disk:
              kit: volume
              parameters: {volume: v1, copies: "%8$s", mode: %9$s, linkKey: %1$s/link.key, jar: %10$s, javaOptions: "%11$s"}
              at:
                a: {file: %1$s/a/v1, listen: "unix:%1$s/a/v1.sock"}
                b: {file: %1$s/b/v1, listen: "unix:%1$s/b/v1.sock"}
            data:
              kit: filesystem
              on: [disk]
              parameters: {mount: %1$s/mnt}
              at:
                a: {nbd: "nbd+unix:///v1?socket=%1$s/a/v1.sock"}
                b: {nbd: "nbd+unix:///v1?socket=%1$s/b/v1.sock"}
            address: {kit: ip, parameters: {address: %12$s/24, device: eth0}}
            database: %13$s
      """;

  /** Where clients find the database. */
  static final String ADDRESS = Network.Net.CLIENTS.address(100);

  /** Where a node's copy of the volume is reached by the other. */
  static String copy(int host) {
    return Network.Net.SECOND.address(host) + ":7800";
  }

  /** The configuration of all controllers. */
  String yaml() {
    return YAML.formatted(
        folder,
        leaseMs,
        sites ? ", site: east" : "",
        sites ? ", site: west" : "",
        localRecoveries,
        OFTEN,
        SITES_WAIT_MS,
        "a=%s, b=%s".formatted(copy(1), copy(2)),
        mode(),
        volumeJar,
        javaOptions,
        ADDRESS,
        engine.resource(folder.resolve("mnt/data")));
  }

  String mode() {
    return sites ? "async" : "sync";
  }
}
