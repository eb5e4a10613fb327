package io.mgtm.bench.failover;

import io.mgtm.common.HostPort;
import io.mgtm.local.LocalSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A network for each process: namespaces on a bridge in a namespace of its own, where packets of
 * one to another can be lost. This machine's end of it has the last address.
 *
 * <p>A loss is a neighbour entry with an address that nobody has: the frames leave and arrive
 * nowhere, and neither side is told.
 */
public final class ProcessNetwork implements AutoCloseable {
  private static final String NOBODY = "02:00:00:00:00:ee";

  /** Two blocks of 256 networks that are reserved for tests of networks. */
  private static final int NETWORKS = 512;

  private static final int HERE = 254;
  private static final int CLIENT_PORT = 6_666;
  private static final int GROUP_PORT = 7_666;

  private final String tag = "mgtm" + ProcessHandle.current().pid();
  private final String prefix;
  private final Map<String, Integer> hosts = new LinkedHashMap<>();

  private ProcessNetwork(String prefix) {
    this.prefix = prefix;
  }

  /** One that no other run on this machine uses. */
  private static String freePrefix() throws IOException {
    String used = run(List.of("ip", "-4", "-o", "addr")).output();
    long first = ProcessHandle.current().pid();
    for (int i = 0; i < NETWORKS; i++) {
      long number = (first + i) % NETWORKS;
      String prefix = "198.%d.%d.".formatted(18 + number / 256, number % 256);
      if (!used.contains(" " + prefix)) {
        return prefix;
      }
    }
    throw new IOException("all networks of 198.18.0.0/15 are in use");
  }

  /** Whether one can be made here: that takes root and iproute2. */
  public static boolean isPossible() throws IOException {
    return run(List.of("ip", "netns", "list")).status() == 0
        && run(List.of("id", "-u")).output().strip().equals("0");
  }

  /**
   * Makes it.
   *
   * @throws IOException when it cannot be made; nothing of it is left then
   */
  public static ProcessNetwork make(List<String> names) throws IOException {
    ProcessNetwork network = new ProcessNetwork(freePrefix());
    try {
      network.build(names);
      return network;
    } catch (IOException | RuntimeException e) {
      network.close();
      throw e;
    }
  }

  private void build(List<String> names) throws IOException {
    must("ip netns add " + bridge());
    in(bridge(), "ip link add br0 type bridge");
    in(bridge(), "ip link set br0 up");
    must("ip link add " + tag + "h type veth peer name here netns " + bridge());
    in(bridge(), "ip link set here master br0 up");
    must("ip addr add " + prefix + HERE + "/24 dev " + tag + "h");
    must("ip link set " + tag + "h up");
    for (String name : names) {
      int host = hosts.size() + 1;
      hosts.put(name, host);
      must("ip netns add " + namespace(name));
      in(bridge(), "ip link add " + name + " type veth peer name eth0 netns " + namespace(name));
      in(bridge(), "ip link set " + name + " master br0 up");
      in(namespace(name), "ip addr add " + address(name) + "/24 dev eth0");
      in(namespace(name), "ip link set eth0 up");
      in(namespace(name), "ip link set lo up");
    }
  }

  private String bridge() {
    return tag + "b";
  }

  private String namespace(String name) {
    return tag + "-" + name;
  }

  /**
   * A group of these processes, and a proxy, that {@link #place} puts into their networks.
   *
   * @param jvm options of each Java process
   */
  public LocalSettings installation(
      Path folder, List<String> nodes, String mode, List<String> jvm) {
    return new LocalSettings(
        folder,
        nodes.stream().map(n -> new HostPort(address(n), CLIENT_PORT)).toList(),
        nodes.stream().map(n -> new HostPort(address(n), GROUP_PORT)).toList(),
        new HostPort(address("proxy"), CLIENT_PORT),
        mode,
        jvm,
        List.of());
  }

  /** Of all processes. */
  public List<String> names() {
    return List.copyOf(hosts.keySet());
  }

  /** The address of a process. */
  public String address(String name) {
    return prefix + hosts.get(name);
  }

  /** Runs a process in its network. */
  public List<String> place(String name, List<String> command) {
    List<String> placed = new ArrayList<>(List.of("ip", "netns", "exec", namespace(name)));
    placed.addAll(command);
    return placed;
  }

  /** What {@code from} sends to {@code to} is lost from here on. */
  public void lose(String from, String to) throws IOException {
    in(
        namespace(from),
        "ip neigh replace " + address(to) + " lladdr " + NOBODY + " nud permanent dev eth0");
  }

  /** Nothing passes between the two. */
  public void cut(String one, String other) throws IOException {
    lose(one, other);
    lose(other, one);
  }

  /** What {@code from} sends to any of the others is lost from here on. */
  public void lose(String from, List<String> to) throws IOException {
    for (String other : to) {
      lose(from, other);
    }
  }

  /** Nothing passes between the one and any of the others. */
  public void cut(String one, List<String> others) throws IOException {
    for (String other : others) {
      cut(one, other);
    }
  }

  /** Everything passes again. */
  public void heal() throws IOException {
    for (String name : hosts.keySet()) {
      in(namespace(name), "ip neigh flush dev eth0 nud permanent");
    }
  }

  /**
   * Runs a command where the bridge {@code br0} and all its ports are, each named as its process.
   */
  void onBridge(String command) throws IOException {
    in(bridge(), command);
  }

  /**
   * Has all senders make packets of a line's size, where the kernel would pass many as one: what
   * counts packets, such as a loss, is wrong by as much else.
   */
  void sendSingly() throws IOException {
    for (String name : hosts.keySet()) {
      in(namespace(name), "ip link set eth0 gso_max_segs 1");
    }
    must("ip link set " + tag + "h gso_max_segs 1");
  }

  private void in(String namespace, String command) throws IOException {
    must("ip netns exec " + namespace + " " + command);
  }

  private static void must(String command) throws IOException {
    Ended ended = run(List.of(command.split(" ")));
    if (ended.status() != 0) {
      throw new IOException(command + ": " + ended.output());
    }
  }

  private record Ended(int status, String output) {}

  private static Ended run(List<String> command) throws IOException {
    Process process;
    try {
      process = new ProcessBuilder(command).redirectErrorStream(true).start();
    } catch (IOException e) {
      return new Ended(127, e.getMessage());
    }
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Ended(process.onExit().join().exitValue(), output);
  }

  @Override
  public void close() throws IOException {
    // A namespace takes its ends of links with it, and a link its other end.
    for (String name : hosts.keySet()) {
      run(List.of("ip", "netns", "del", namespace(name)));
    }
    run(List.of("ip", "netns", "del", bridge()));
    run(List.of("ip", "link", "del", tag + "h"));
  }
}
