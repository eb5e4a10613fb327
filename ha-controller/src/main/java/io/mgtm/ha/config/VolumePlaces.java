package io.mgtm.ha.config;

import io.mgtm.common.AllowList;
import io.mgtm.ha.kit.ResourceCheck.Problem;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Resource;
import java.net.InetSocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Where a hierarchy's volumes lie and where their copies speak, beside its other resources. */
public final class VolumePlaces {
  private static final String VOLUME = "volume";

  private VolumePlaces() {}

  /**
   * What is mounted over a copy hides it, and the next start of its agent finds none.
   *
   * @return which of the volume's parameters names a place under a mount of its own hierarchy
   */
  static Optional<Problem> underMount(Hierarchy hierarchy, Resource volume, String node) {
    if (!volume.kit().equals(VOLUME)) {
      return Optional.empty();
    }
    Map<String, String> told = volume.parametersOn(node);
    for (Resource other : hierarchy.resources().values()) {
      String mount = other.parametersOn(node).getOrDefault("mount", "");
      for (String place : List.of("file", "meta")) {
        if (other.kit().equals("filesystem") && isUnder(told.getOrDefault(place, ""), mount)) {
          return Optional.of(
              new Problem(
                  place,
                  "%s is under %s, where this hierarchy mounts a file system over it; put it elsewhere, such as into /var/lib/mgtm-volumes"
                      .formatted(told.get(place), mount)));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isUnder(String place, String mount) {
    try {
      return place.startsWith("/")
          && mount.startsWith("/")
          && Path.of(place).normalize().startsWith(Path.of(mount).normalize());
    } catch (InvalidPathException e) {
      return false;
    }
  }

  /**
   * What is not wrong, and will be regretted, a sentence each: copies that speak on the network of
   * the address that moves, where the nodes have another one.
   */
  public static List<String> warnings(ClusterConfig config) {
    List<String> all = new ArrayList<>();
    config
        .hierarchies()
        .forEach(
            (name, hierarchy) ->
                hierarchy
                    .resources()
                    .forEach(
                        (resource, volume) -> {
                          if (volume.kit().equals(VOLUME)) {
                            withTheAddress(config, hierarchy, volume)
                                .map(
                                    text ->
                                        "hierarchies.%s.resources.%s: %s"
                                            .formatted(name, resource, text))
                                .ifPresent(all::add);
                          }
                        }));
    return all;
  }

  private static Optional<String> withTheAddress(
      ClusterConfig config, Hierarchy hierarchy, Resource volume) {
    List<String> copies = new ArrayList<>();
    for (String each : volume.parameters().getOrDefault("copies", "").split(",", -1)) {
      copies.add(host(each.substring(each.indexOf('=') + 1).strip()));
    }
    for (Resource other : hierarchy.resources().values()) {
      String moves = other.parameters().getOrDefault("address", "");
      if (other.kit().equals("ip")
          && copies.stream().allMatch(host -> isIn(moves, host))
          && haveAnother(config, hierarchy, moves)) {
        return Optional.of(
            "its copies speak on the network of %s alone, and the nodes have another: when that network is lost, the other copy falls behind, and there is no failover; name addresses of the other network in \"copies\""
                .formatted(moves));
      }
    }
    return Optional.empty();
  }

  private static boolean haveAnother(ClusterConfig config, Hierarchy hierarchy, String moves) {
    return hierarchy.nodes().stream()
        .allMatch(
            node ->
                config.nodes().get(node).paths().stream().anyMatch(at -> !isIn(moves, at.host())));
  }

  private static String host(String hostAndPort) {
    String host = hostAndPort.replaceFirst("^rdma:", "").replaceFirst(":\\d+$", "");
    return host.replaceFirst("^\\[(.*)]$", "$1");
  }

  /** Whether an address is of the network of another one, as {@code 10.0.0.100/24}; no look-ups. */
  private static boolean isIn(String network, String host) {
    if (network.indexOf('/') < 0 || !host.matches("[0-9.]+|[0-9a-fA-F.]*:[0-9a-fA-F.:]*")) {
      return false;
    }
    try {
      return new AllowList(List.of(network)).allows(new InetSocketAddress(host, 0));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }
}
