package io.mgtm.ha.cli;

import io.mgtm.common.ConfigException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What {@code mgtm ha init} was told, and the file that says so.
 *
 * @param cluster its name, and its one hierarchy's
 * @param nodes that may run the database, the preferred first
 * @param witness what only votes
 * @param address the one that moves, with its prefix
 * @param volume the replicated volume that the data lies on
 */
record InitPlan(
    String cluster,
    List<Machine> nodes,
    Witness witness,
    Database database,
    String address,
    String device,
    Optional<Volume> volume,
    Path secretFile) {
  private static final int LINK_PORT = 7800;
  private static final String COPIES_APART =
      """
            # The copies speak on the last network: when the first one is lost, the one that clients
            # use, the other copy is up to date, and the database can move to it.
      """;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9:][A-Za-z0-9.:_-]*");
  private static final Pattern PLAIN =
      Pattern.compile("[A-Za-z/][A-Za-z0-9/_.-]*|[1-9]\\d{0,8}|\\d+(\\.\\d+){3}(/\\d+)?");
  private static final Pattern WORD = Pattern.compile("(?i)y|n|yes|no|on|off|true|false|null");
  private static final int OCTET_MAX = 255;
  private static final Set<String> SYSTEM =
      Set.of(
          "/bin",
          "/boot",
          "/dev",
          "/etc",
          "/home",
          "/lib",
          "/opt",
          "/proc",
          "/root",
          "/run",
          "/sbin",
          "/sys",
          "/tmp",
          "/usr",
          "/usr/local",
          "/var",
          "/var/lib",
          "/var/log");

  /** A machine: its addresses, one on each network. */
  record Machine(String name, List<String> addresses) {
    /** Reads {@code NAME=ADDRESS[,ADDRESS...]}. */
    static Machine parse(String text) {
      int at = text.indexOf('=');
      String name = text.substring(0, Math.max(at, 0)).strip();
      List<String> addresses =
          Arrays.stream(text.substring(at + 1).split(",", -1)).map(String::strip).toList();
      if (!NAME.matcher(name).matches()
          || addresses.stream().anyMatch(one -> !HOST.matcher(one).matches())) {
        throw new IllegalArgumentException(
            "\"%s\" is no machine: expected NAME=ADDRESS, and ,ADDRESS for each further network"
                .formatted(text));
      }
      return new Machine(name, addresses);
    }

    /** Machines separated by spaces. */
    static List<Machine> parseAll(String text) {
      return Arrays.stream(text.strip().split("\\s+")).map(Machine::parse).toList();
    }
  }

  /** What votes beside two machines: a third one, a disk that both reach, or nothing. */
  record Witness(Optional<Machine> machine, String disk) {
    static final Witness NONE = new Witness(Optional.empty(), "");

    /** Reads {@code NAME=ADDRESS} or an absolute path. */
    static Witness parse(String text) {
      return text.startsWith("/")
          ? new Witness(Optional.empty(), text)
          : new Witness(Optional.of(Machine.parse(text)), "");
    }

    boolean isNone() {
      return equals(NONE);
    }
  }

  /**
   * What is protected.
   *
   * @param kit {@code postgresql} or {@code mariadb}
   * @param more parameters beside data and port
   */
  record Database(String kit, String data, String port, Map<String, String> more) {}

  /** A copy on each node. */
  record Volume(String file, String size, Path linkKey) {}

  /** Reads an address with its prefix. */
  static String cidr(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    int bits = address.contains(":") ? 128 : 32;
    boolean prefix =
        slash > 0
            && text.substring(slash + 1).matches("\\d{1,3}")
            && Integer.parseInt(text.substring(slash + 1)) <= bits;
    boolean v4 =
        address.matches("\\d{1,3}(\\.\\d{1,3}){3}")
            && Arrays.stream(address.split("\\.")).allMatch(o -> Integer.parseInt(o) <= OCTET_MAX);
    if (!prefix || !(v4 || address.matches("[0-9A-Fa-f:]*:[0-9A-Fa-f:.]*"))) {
      throw new IllegalArgumentException(
          "\"%s\" is no address with a prefix, such as 10.0.0.100/24".formatted(text));
    }
    return text;
  }

  /** Refuses what cannot work, before anything is written. */
  void check() throws ConfigException {
    int count = nodes.size();
    if (count == 2 && witness.isNone()) {
      throw new ConfigException(
          "two machines without a witness cannot tell a dead machine from a cut cable: after"
              + " either, both would serve and the data would part, or none would. Name a third by"
              + " --witness NAME=ADDRESS; it runs no database, and 64 MB of memory are enough. Or"
              + " name a disk that both reach, by --witness /dev/disk/by-id/NAME");
    }
    if (!witness.isNone() && count != 2) {
      throw new ConfigException(
          "a witness is for two machines, and here are %d: leave it out, or name two by --node"
              .formatted(count));
    }
    if (count % 2 == 0 && count != 2) {
      throw new ConfigException(
          "%d machines can be cut into two halves, of which none is a majority: expected 3, 5 or 7, or 2 and a witness"
              .formatted(count));
    }
    String moved = address.substring(0, address.indexOf('/'));
    for (Machine each : all()) {
      if (each.addresses().contains(moved)) {
        throw new ConfigException(
            "--address: %s is %s's own; the one that moves belongs to no machine"
                .formatted(moved, each.name()));
      }
    }
    if (volume.isPresent() && (mount() == null || isOfTheSystem(mount()))) {
      throw new ConfigException(
          "--database-folder: on a volume it is a folder inside of the volume's mount, which would"
              + " be %s here; name one such as /srv/pg/data".formatted(mount()));
    }
  }

  /** What is mounted there would hide what the machine needs. */
  private static boolean isOfTheSystem(Path folder) {
    return folder.getNameCount() == 0 || SYSTEM.contains(folder.toString());
  }

  /** All machines, the witness last. */
  List<Machine> all() {
    List<Machine> all = new ArrayList<>(nodes);
    witness.machine().ifPresent(all::add);
    return all;
  }

  /** Where the volume's file system is mounted. */
  Path mount() {
    return Path.of(database.data()).getParent();
  }

  /** The file. */
  String yaml() {
    StringBuilder text = new StringBuilder();
    text.append("# Written by mgtm ha init; docs/ha.md explains it. The same on every machine.\n");
    text.append("cluster: ").append(scalar(cluster)).append('\n');
    text.append("secretFile: ").append(scalar(secretFile.toString())).append('\n');
    text.append("nodes:\n");
    for (Machine each : all()) {
      boolean votes = witness.machine().filter(each::equals).isPresent();
      text.append(
          "  %s: {addresses: %s%s}\n"
              .formatted(
                  scalar(each.name()), list(each.addresses()), votes ? ", witness: true" : ""));
    }
    if (!witness.disk().isEmpty()) {
      text.append("quorumDisk: ").append(scalar(witness.disk())).append('\n');
    }
    text.append("hierarchies:\n  ").append(scalar(cluster)).append(":\n");
    text.append("    nodes: ").append(list(nodes.stream().map(Machine::name).toList()));
    text.append("\n    resources:\n");
    resource(text, "address", "ip", List.of(), parameters("address", address, "device", device));
    volume.ifPresent(disk -> volume(text, disk));
    Map<String, String> told = parameters("data", database.data(), "port", database.port());
    told.putAll(database.more());
    List<String> on = volume.isPresent() ? List.of("data", "address") : List.of("address");
    resource(text, "database", database.kit(), on, told);
    return text.toString();
  }

  private void volume(StringBuilder text, Volume disk) {
    String socket = "/run/mgtm-" + cluster + ".sock";
    List<String> copies = new ArrayList<>();
    for (Machine node : nodes) {
      String host = node.addresses().get(node.addresses().size() - 1);
      String bracketed = host.contains(":") ? "[" + host + "]" : host;
      copies.add(node.name() + "=" + bracketed + ":" + LINK_PORT);
    }
    if (nodes.get(0).addresses().size() > 1) {
      text.append(COPIES_APART);
    }
    Map<String, String> told = parameters("volume", cluster, "file", disk.file());
    told.put("size", disk.size());
    told.put("listen", "unix:" + socket);
    told.put("linkKey", disk.linkKey().toString());
    told.put("copies", String.join(",", copies));
    resource(text, "disk", "volume", List.of(), told);
    String export = "nbd+unix:///%s?socket=%s".formatted(cluster, socket);
    resource(
        text,
        "data",
        "filesystem",
        List.of("disk"),
        parameters("mount", mount().toString(), "nbd", export));
  }

  private static Map<String, String> parameters(String... pairs) {
    Map<String, String> all = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      all.put(pairs[i], pairs[i + 1]);
    }
    return all;
  }

  private static void resource(
      StringBuilder text, String name, String kit, List<String> on, Map<String, String> told) {
    List<String> pairs = new ArrayList<>();
    told.forEach((key, value) -> pairs.add(key + ": " + scalar(value)));
    text.append("      %s:\n        kit: %s\n".formatted(name, kit));
    if (!on.isEmpty()) {
      text.append("        on: ").append(list(on)).append('\n');
    }
    text.append("        parameters: {%s}\n".formatted(String.join(", ", pairs)));
  }

  private static String list(List<String> values) {
    return "[" + String.join(", ", values.stream().map(InitPlan::scalar).toList()) + "]";
  }

  /** As a value of YAML, quoted where it could be read as something else. */
  private static String scalar(String value) {
    return PLAIN.matcher(value).matches() && !WORD.matcher(value).matches()
        ? value
        : '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }
}
