package io.mgtm.local;

import io.mgtm.common.HostPort;
import io.mgtm.group.net.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An installation on this machine.
 *
 * @param folder holds a data folder for each node, named like it, and the logs
 * @param clients where each node listens for XC nodes and gateways
 * @param members where each node listens for the others
 * @param proxy where the proxy listens
 * @param mode how the group replicates, as {@code --mode} takes it
 * @param jvm options of each Java process
 * @param nodeOptions more options of every node
 */
public record LocalSettings(
    Path folder,
    List<HostPort> clients,
    List<HostPort> members,
    HostPort proxy,
    String mode,
    List<String> jvm,
    List<String> nodeOptions) {
  /** What the launcher gives a GTM, with the archive of classes that this JVM was started with. */
  public static final List<String> JVM_OPTIONS = jvmOptions();

  private static final String HOST = "127.0.0.1";

  public LocalSettings {
    clients = List.copyOf(clients);
    members = List.copyOf(members);
    jvm = List.copyOf(jvm);
    nodeOptions = List.copyOf(nodeOptions);
    if (clients.isEmpty() || clients.size() != members.size()) {
      throw new IllegalArgumentException("as many client as member addresses are needed");
    }
  }

  private static List<String> jvmOptions() {
    List<String> options =
        new ArrayList<>(
            JavaCommand.options(
                System.getProperty("mgtm.gtmJavaOptions", "-XX:+UseSerialGC -Xmn48m")));
    Stream.of(ProcessHandle.current().info().arguments().orElse(new String[0]))
        .filter(option -> option.matches("-XX:SharedArchiveFile=.*|-Xlog:cds=off"))
        .forEach(options::add);
    return List.copyOf(options);
  }

  /** Fixed ports: the proxy on {@code base}, the nodes on those after it, members 1,000 above. */
  public static LocalSettings fixed(Path folder, int nodes, int base, String mode) {
    return new LocalSettings(
        folder,
        IntStream.rangeClosed(1, nodes).mapToObj(i -> new HostPort(HOST, base + i)).toList(),
        IntStream.rangeClosed(1, nodes)
            .mapToObj(i -> new HostPort(HOST, base + 1_000 + i))
            .toList(),
        new HostPort(HOST, base),
        mode,
        JVM_OPTIONS,
        List.of());
  }

  /** Ports of 127.0.0.1 that nobody uses now, nor those above that members listen on as well. */
  public static LocalSettings free(Path folder, int nodes, String mode) {
    List<HostPort> ports =
        FreePorts.take(2 * nodes + 1).stream().map(port -> new HostPort(HOST, port)).toList();
    return new LocalSettings(
        folder,
        ports.subList(0, nodes),
        ports.subList(nodes, 2 * nodes),
        ports.get(2 * nodes),
        mode,
        JVM_OPTIONS,
        List.of());
  }

  /** The same with more options for every node. */
  public LocalSettings withNodeOptions(List<String> options) {
    return new LocalSettings(folder, clients, members, proxy, mode, jvm, options);
  }

  /** The same with more options for every Java process. */
  public LocalSettings withJvmOptions(List<String> options) {
    List<String> all = new ArrayList<>(jvm);
    all.addAll(options);
    return new LocalSettings(folder, clients, members, proxy, mode, all, nodeOptions);
  }

  /** All that is listened on. */
  List<HostPort> addresses() {
    return Stream.of(List.of(proxy), clients, members).flatMap(List::stream).toList();
  }

  /** Where the processes find their classes: the jar of this property, else where this JVM does. */
  public String classPath() {
    return System.getProperty("mgtm.localJar", System.getProperty("java.class.path"));
  }

  public int nodes() {
    return clients.size();
  }

  /** The name of node {@code i}, from 0. */
  public String name(int i) {
    return "g" + (i + 1);
  }

  /** The members as {@code --members} takes them. */
  public String memberList() {
    return IntStream.range(0, nodes())
        .mapToObj(i -> name(i) + "=" + members.get(i))
        .collect(Collectors.joining(","));
  }

  /** The nodes as a proxy's {@code --gtm} takes them. */
  public String clientList() {
    return clients.stream().map(HostPort::toString).collect(Collectors.joining(","));
  }
}
