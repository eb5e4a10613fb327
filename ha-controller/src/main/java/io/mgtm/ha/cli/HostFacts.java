package io.mgtm.ha.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What {@code mgtm ha init} finds on this machine and offers as defaults. What cannot be read is as
 * if it were not there.
 *
 * @param name this machine's, empty when it has none
 * @param interfaces those that lead elsewhere, the likeliest first
 * @param postgres its clusters, the newest version first
 */
record HostFacts(String name, List<Interface> interfaces, List<Postgres> postgres) {
  private static final Pattern SETTING = Pattern.compile("(?m)^\\s*(\\w+)\\s*=\\s*'?([^'#\\s]+)'?");
  private static final String PORT = "5432";

  /** An address of this machine. */
  record Interface(String device, String address, int prefix) {}

  /**
   * A data folder of PostgreSQL.
   *
   * @param config its postgresql.conf, empty when it lies in the data folder
   */
  record Postgres(String data, String port, String config) {}

  /**
   * Looks.
   *
   * @param root where {@code etc} and {@code proc} are
   */
  static HostFacts of(Path root) {
    String host = text(root.resolve("etc/hostname")).strip();
    String name = host.contains(".") ? host.substring(0, host.indexOf('.')) : host;
    return new HostFacts(name, found(), databases(root));
  }

  private static List<Interface> found() {
    List<Interface> found = new ArrayList<>();
    try {
      for (NetworkInterface device : Collections.list(NetworkInterface.getNetworkInterfaces())) {
        for (InterfaceAddress each : device.getInterfaceAddresses()) {
          InetAddress address = each.getAddress();
          if (device.isUp() && !address.isLoopbackAddress() && !address.isLinkLocalAddress()) {
            String host = address.getHostAddress().replaceFirst("%.*", "");
            found.add(new Interface(device.getName(), host, each.getNetworkPrefixLength()));
          }
        }
      }
    } catch (SocketException e) {
      return List.of();
    }
    // IPv4 first, and bridges of containers last.
    found.sort(
        Comparator.comparing((Interface each) -> each.address().contains(":"))
            .thenComparing(each -> each.device().matches("(docker|virbr|br-|veth|lxc).*")));
    return List.copyOf(found);
  }

  /** Those that Debian's packages have set up; without any, those that run. */
  private static List<Postgres> databases(Path root) {
    Map<String, Postgres> found = new TreeMap<>(Comparator.reverseOrder());
    for (Path version : inside(root.resolve("etc/postgresql"), "[0-9]*")) {
      for (Path cluster : inside(version, "*")) {
        Path config = cluster.resolve("postgresql.conf");
        String text = text(config);
        if (!text.isEmpty()) {
          Path folder = Path.of("/", root.relativize(cluster).toString());
          found.put(
              "%05d %s".formatted(major(version), cluster),
              new Postgres(
                  setting(text, "data_directory").orElse(folder.toString()),
                  setting(text, "port").orElse(PORT),
                  folder.resolve("postgresql.conf").toString()));
        }
      }
    }
    return found.isEmpty() ? running(root) : List.copyOf(found.values());
  }

  private static List<Postgres> running(Path root) {
    List<Postgres> found = new ArrayList<>();
    for (Path process : inside(root.resolve("proc"), "[0-9]*")) {
      List<String> words = List.of(text(process.resolve("cmdline")).split("\0"));
      int at = words.indexOf("-D");
      if (words.get(0).matches("(.*/)?(postgres|postmaster)")
          && at > 0
          && at + 1 < words.size()
          && words.get(at + 1).startsWith("/")) {
        String data = words.get(at + 1);
        List<String> lines =
            text(root.resolve(data.substring(1) + "/postmaster.pid")).lines().toList();
        found.add(new Postgres(data, lines.size() > 3 ? lines.get(3).strip() : PORT, ""));
      }
    }
    return List.copyOf(found);
  }

  private static int major(Path version) {
    return Integer.parseInt(version.getFileName().toString().replaceFirst("(\\d{1,4}).*", "$1"));
  }

  private static Optional<String> setting(String text, String name) {
    Matcher matcher = SETTING.matcher(text);
    Optional<String> last = Optional.empty();
    while (matcher.find()) {
      if (matcher.group(1).equals(name)) {
        last = Optional.of(matcher.group(2));
      }
    }
    return last;
  }

  private static List<Path> inside(Path folder, String names) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, names)) {
      files.forEach(found::add);
    } catch (IOException e) {
      return List.of();
    }
    return found;
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "";
    }
  }

  /** The device and prefix of the network that an address is of; the first device otherwise. */
  Optional<Interface> toward(String address) {
    for (Interface each : interfaces) {
      if (each.address().equals(address)) {
        return Optional.of(each);
      }
    }
    return interfaces.stream().findFirst();
  }
}
