package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The networks between machines, each a bridge: the clients', and two that the nodes alone have. A
 * machine's end of the first is {@code eth0}, of the others {@code eth1} and {@code eth2}.
 *
 * <p>A cut takes the machine's plug out of the bridge: nothing passes, broadcasts neither, and no
 * side is told.
 */
final class Network implements AutoCloseable {
  /** The networks. */
  enum Net {
    /** Where clients are. */
    CLIENTS(0),
    /** The nodes' first path, and the controllers' log. */
    FIRST(1),
    /** Their second path, and the volumes' replication. */
    SECOND(2);

    private final int number;

    Net(int number) {
      this.number = number;
    }

    private String bridge() {
      return "net" + number;
    }

    String device() {
      return "eth" + number;
    }

    /** The address of a machine with this number. */
    String address(int host) {
      return "10.77.%d.%d".formatted(number, host);
    }
  }

  private static final int SECONDS_MAX = 30;

  private final Machine hub;

  private Network(Machine hub) {
    this.hub = hub;
  }

  /**
   * Makes the networks.
   *
   * @param folder of the cluster
   * @throws IOException when they cannot be made; nothing of them is left then
   */
  static Network make(Path folder) throws IOException, InterruptedException {
    Network network = new Network(Machine.boot("hub", folder));
    try {
      for (Net net : Net.values()) {
        network.hub("ip link add " + net.bridge() + " type bridge");
        network.hub("ip link set " + net.bridge() + " up");
      }
      return network;
    } catch (IOException | InterruptedException | RuntimeException e) {
      network.close();
      throw e;
    }
  }

  private static String plug(Machine machine, Net net) {
    return machine.name() + "-" + net.bridge();
  }

  /** Gives a machine its end of each of these networks. */
  void connect(Machine machine, int host, List<Net> nets) throws IOException, InterruptedException {
    for (Net net : nets) {
      String plug = plug(machine, net);
      hub(
          "ip link del %s 2>/dev/null; ip link add %s type veth peer name %s netns %d"
              .formatted(plug, plug, net.device(), machine.pid()));
      hub("ip link set " + plug + " master " + net.bridge() + " up");
      in(
          machine,
          "ip address add %s/24 dev %s && ip link set %s up"
              .formatted(net.address(host), net.device(), net.device()));
    }
  }

  /** Cuts a machine off from a network. */
  void cut(Machine machine, Net net) throws IOException, InterruptedException {
    hub("ip link set " + plug(machine, net) + " nomaster");
  }

  /** Ends a cut. */
  void heal(Machine machine, Net net) throws IOException, InterruptedException {
    hub("ip link set " + plug(machine, net) + " master " + net.bridge());
  }

  /** A machine dies: its lines first, since its kernel would end its connections in order. */
  void kill(Machine machine) throws IOException, InterruptedException {
    StringBuilder script = new StringBuilder();
    for (Net net : Net.values()) {
      script.append("ip link set %s down; ".formatted(plug(machine, net)));
    }
    hub(script + "kill -9 " + machine.pid());
    machine.awaitDeath();
  }

  /**
   * Makes what a machine sends to the other nodes late and now and then lost.
   *
   * @return why this kernel cannot; empty when it is done
   */
  Optional<String> slow(Machine machine, String how) throws InterruptedException {
    for (Net net : List.of(Net.FIRST, Net.SECOND)) {
      try {
        in(machine, "tc qdisc replace dev " + net.device() + " root netem " + how);
      } catch (IOException e) {
        return Optional.of("this kernel has no netem: " + e.getMessage());
      }
    }
    return Optional.empty();
  }

  private void hub(String script) throws IOException, InterruptedException {
    in(hub, script);
  }

  private static void in(Machine machine, String script) throws IOException, InterruptedException {
    Exec.run(SECONDS_MAX, machine.network(List.of("/bin/sh", "-c", script)));
  }

  @Override
  public void close() throws IOException {
    hub.close();
  }
}
