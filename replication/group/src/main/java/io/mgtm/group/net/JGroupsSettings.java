package io.mgtm.group.net;

import io.mgtm.common.AllowList;
import io.mgtm.group.GroupMode;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * How the members of a group reach each other.
 *
 * @param cluster the group's name, the same on all members
 * @param bind this member's address
 * @param hosts the addresses of all members that are known from the start
 * @param suspectMs how long a silent member is waited for before the view leaves it out
 * @param tls keys for TLS 1.3 with certificates on both sides; without it, nothing is encrypted and
 *     everybody who reaches the address is believed
 * @param secret encrypts what messages carry and keeps those out that do not have it; headers stay
 *     in the clear, so prefer {@code tls}
 * @param stackFile a JGroups stack in XML that takes the place of all this but the cluster's name
 * @param allowed networks that members may come from
 * @param alternates the addresses on other networks of a member, itself too, by that in {@code
 *     hosts}; it listens on all, and others connect to the next when one leads nowhere or is silent
 */
public record JGroupsSettings(
    String cluster,
    InetSocketAddress bind,
    List<InetSocketAddress> hosts,
    long suspectMs,
    Optional<Tls> tls,
    Optional<GroupSecret> secret,
    Optional<Path> stackFile,
    AllowList allowed,
    Optional<Function<InetSocketAddress, List<InetSocketAddress>>> alternates) {
  /** Suits machines of one data centre. */
  public static final long SUSPECT_MS = 1_500;

  /**
   * A PKCS #12 file with this member's key and certificate, and those that it trusts.
   *
   * @param password of the file and its keys
   */
  public record Tls(Path keyStore, String password) {
    @Override
    public String toString() {
      return "Tls[" + keyStore + "]";
    }
  }

  /** Refuses what cannot work. */
  public JGroupsSettings {
    Objects.requireNonNull(cluster, "cluster");
    Objects.requireNonNull(bind, "bind");
    hosts = List.copyOf(hosts);
    if (suspectMs < 100) {
      throw new IllegalArgumentException(
          "suspectMs is %d; 100 and more is allowed".formatted(suspectMs));
    }
  }

  /** Without encryption, with the times that suit machines of one data centre. */
  public static JGroupsSettings of(
      String cluster, InetSocketAddress bind, List<InetSocketAddress> hosts) {
    return new JGroupsSettings(
        cluster,
        bind,
        hosts,
        SUSPECT_MS,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        new AllowList(List.of()),
        Optional.empty());
  }

  public JGroupsSettings withSecret(GroupSecret shared) {
    return with(cluster, Optional.of(shared), allowed, alternates);
  }

  /** Members of another mode do not see those of this one: the mode is part of the name. */
  public JGroupsSettings ofMode(GroupMode mode) {
    return with(cluster + '-' + mode.label(), secret, allowed, alternates);
  }

  /** With the built-in stack, members come from these networks only. */
  public JGroupsSettings withAllowed(AllowList networks) {
    return with(cluster, secret, networks, alternates);
  }

  /**
   * With the built-in stack, members have addresses on other networks too.
   *
   * @param others asked by the owner's thread when a process is first connected with; must not wait
   */
  public JGroupsSettings withAlternates(
      Function<InetSocketAddress, List<InetSocketAddress>> others) {
    return with(cluster, secret, allowed, Optional.of(others));
  }

  private JGroupsSettings with(
      String name,
      Optional<GroupSecret> shared,
      AllowList networks,
      Optional<Function<InetSocketAddress, List<InetSocketAddress>>> others) {
    return new JGroupsSettings(
        name, bind, hosts, suspectMs, tls, shared, stackFile, networks, others);
  }

  /** The fingerprint of the secret, "" without one. */
  String secretFingerprint() {
    return secret.map(GroupSecret::fingerprint).orElse("");
  }

  boolean hasAlternates() {
    return alternates.isPresent();
  }

  /** Where a member may be reached, the best first. */
  List<InetSocketAddress> routes(InetSocketAddress place) {
    List<InetSocketAddress> others = alternates.map(of -> of.apply(place)).orElse(List.of());
    return Stream.concat(Stream.of(place), others.stream()).toList();
  }
}
