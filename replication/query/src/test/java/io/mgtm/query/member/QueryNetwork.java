package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.query.local.LocalProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;

/**
 * A network of a test's own: a namespace for each replicator, and lines to them from this machine,
 * one for clients and one for each server, all at a bridge in one more namespace. Whose line is
 * pulled out of the bridge is told nothing: what is sent gets lost.
 */
final class QueryNetwork {
  private static final String NOBODY = "02:00:00:00:00:ee";

  /** Two blocks of 256 networks that are reserved for tests of networks. */
  private static final int NETWORKS = 512;

  /** Of a part of the network, of which each line has one. */
  private static final int ADDRESSES = 32;

  private final Path folder;
  private final int replicators;
  private final int servers;
  private final String tag = "mq" + Long.toString(ProcessHandle.current().pid(), 36);
  private final String prefix;

  /** Makes it, or skips the test, and says why, where it cannot be made. */
  QueryNetwork(Path folder, int replicators, int servers) throws Exception {
    this.folder = folder;
    this.replicators = replicators;
    this.servers = servers;
    boolean possible = LocalProgram.isRoot() && run("ip netns list").code() == 0;
    if (!possible) {
      System.out.println("SKIPPED: network namespaces need root and iproute2");
    }
    Assumptions.assumeTrue(possible, "SKIPPED: network namespaces need root and iproute2");
    prefix = freePrefix();
    try {
      make();
    } catch (IOException | AssertionError e) {
      close();
      throw e;
    }
  }

  private String freePrefix() throws Exception {
    String used = run("ip -4 -o address").output();
    long first = ProcessHandle.current().pid();
    return Stream.iterate(first, number -> number + 1)
        .limit(NETWORKS)
        .map(number -> "198.%d.%d.".formatted(18 + number / 256 % 2, number % 256))
        .filter(one -> !used.contains(" " + one))
        .findFirst()
        .orElseThrow();
  }

  private void make() throws Exception {
    must("ip netns add " + bridge());
    must("ip -n " + bridge() + " link add br0 type bridge");
    must("ip -n " + bridge() + " link set br0 up");
    for (int line = 0; line <= servers; line++) {
      must(
          "ip link add %s type veth peer name %s netns %s"
              .formatted(here(line), port(line), bridge()));
      must("ip address add %s/27 dev %s".formatted(hostAt(line), here(line)));
      // It answers for its own address only, not for those of other lines.
      Path answers = Path.of("/proc/sys/net/ipv4/conf", here(line), "arp_ignore");
      Files.writeString(answers, "1");
      must("ip link set %s up".formatted(here(line)));
      plug(port(line));
      must("ip -n %s link set %s up".formatted(bridge(), port(line)));
    }
    for (int i = 0; i < replicators; i++) {
      must("ip netns add " + namespace(i));
      must(
          "ip -n %s link add %s type veth peer name eth0 netns %s"
              .formatted(bridge(), replicatorPort(i), namespace(i)));
      plug(replicatorPort(i));
      must("ip -n %s link set %s up".formatted(bridge(), replicatorPort(i)));
      must("ip -n %s link set lo up".formatted(namespace(i)));
      must("ip -n %s link set eth0 up".formatted(namespace(i)));
      for (int line = 0; line <= servers; line++) {
        must(
            "ip -n %s address add %s/27 dev eth0"
                .formatted(namespace(i), prefix + (ADDRESSES * line + 1 + i)));
      }
    }
  }

  private String bridge() {
    return tag + "b";
  }

  private String namespace(int replicator) {
    return tag + "q" + replicator;
  }

  private String here(int line) {
    return tag + "h" + line;
  }

  private static String port(int line) {
    return "line" + line;
  }

  private static String replicatorPort(int number) {
    return "q" + number;
  }

  private String hostAt(int line) {
    return prefix + (ADDRESSES * line + ADDRESSES - 2);
  }

  /** Where servers listen, each with a line of its own. */
  List<String> serverHosts() {
    return Stream.iterate(1, line -> line + 1).limit(servers).map(this::hostAt).toList();
  }

  /** Where replicators listen, for clients and for each other. */
  List<String> replicatorHosts() {
    return Stream.iterate(1, i -> i + 1).limit(replicators).map(i -> prefix + i).toList();
  }

  /** A command that runs where the replicator is. */
  List<String> place(int replicator, List<String> command) {
    List<String> placed = new ArrayList<>(List.of("ip", "netns", "exec", namespace(replicator)));
    placed.addAll(command);
    return placed;
  }

  private void plug(String port) throws Exception {
    must("ip -n %s link set %s master br0".formatted(bridge(), port));
  }

  private void pull(String port) throws Exception {
    must("ip -n %s link set %s nomaster".formatted(bridge(), port));
  }

  /** Nothing passes between a server and any replicator. */
  void cutServer(int number) throws Exception {
    pull(port(number + 1));
  }

  void healServer(int number) throws Exception {
    plug(port(number + 1));
  }

  /** Nothing passes between a replicator and anybody. */
  void cutReplicator(int number) throws Exception {
    pull(replicatorPort(number));
  }

  void healReplicator(int number) throws Exception {
    plug(replicatorPort(number));
  }

  /** Nothing passes between a replicator and the others, but to servers and clients. */
  void cutFromOthers(int number) throws Exception {
    for (int other = 0; other < replicators; other++) {
      if (other != number) {
        lose(number, other);
        lose(other, number);
      }
    }
  }

  private void lose(int from, int to) throws Exception {
    must(
        "ip -n %s neigh replace %s lladdr %s nud permanent dev eth0"
            .formatted(namespace(from), prefix + (1 + to), NOBODY));
  }

  void healAmongReplicators() throws Exception {
    for (int i = 0; i < replicators; i++) {
      must("ip -n %s neigh flush dev eth0 nud permanent".formatted(namespace(i)));
    }
  }

  private Tools.Result run(String command) throws Exception {
    return Tools.run(folder, Map.of(), List.of(command.split(" ", -1)));
  }

  private void must(String command) throws Exception {
    Tools.Result result = run(command);
    assertThat(result.code()).as("%s: %s", command, result.output()).isZero();
  }

  void close() throws Exception {
    // A namespace takes its ends of links with it, and a link its other end.
    for (int i = 0; i < replicators; i++) {
      run("ip netns del " + namespace(i));
    }
    run("ip netns del " + bridge());
    for (int line = 0; line <= servers; line++) {
      run("ip link del " + here(line));
    }
  }
}
