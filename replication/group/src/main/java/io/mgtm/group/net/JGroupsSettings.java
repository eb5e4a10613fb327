package io.mgtm.group.net;

import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * How the members of a group reach each other.
 *
 * @param cluster the group's name, the same on all members
 * @param bind this member's address; the failure detection listens 100 ports above
 * @param hosts the addresses of all members that are known from the start
 * @param suspectMs how long a silent member is waited for before the view leaves it out
 * @param secret a key of 16 or 32 bytes, the same on all members, with which messages are encrypted
 *     and authenticated (AES-GCM)
 * @param stackFile a JGroups stack in XML that takes the place of all this but the cluster's name
 */
public record JGroupsSettings(
    String cluster,
    InetSocketAddress bind,
    List<InetSocketAddress> hosts,
    long suspectMs,
    Optional<List<Byte>> secret,
    Optional<Path> stackFile) {
  static final int DETECTION_PORT_OFFSET = 100;

  /** Refuses what cannot work. */
  public JGroupsSettings {
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(bind, "bind");
    hosts = List.copyOf(hosts);
    if (suspectMs < 100) {
      throw new IllegalArgumentException(
          "suspectMs is %d; 100 and more is allowed".formatted(suspectMs));
    }
    if (secret.isPresent() && secret.get().size() != 16 && secret.get().size() != 32) {
      throw new IllegalArgumentException(
          "the group's secret has %d bytes; 16 or 32 are allowed".formatted(secret.get().size()));
    }
  }

  /** Without encryption, with the times that suit machines of one data centre. */
  public static JGroupsSettings of(
      String cluster, InetSocketAddress bind, List<InetSocketAddress> hosts) {
    return new JGroupsSettings(cluster, bind, hosts, 1_500, Optional.empty(), Optional.empty());
  }

  public JGroupsSettings withSecret(List<Byte> key) {
    return new JGroupsSettings(cluster, bind, hosts, suspectMs, Optional.of(key), stackFile);
  }

  public JGroupsSettings withStackFile(Path file) {
    return new JGroupsSettings(cluster, bind, hosts, suspectMs, secret, Optional.of(file));
  }
}
