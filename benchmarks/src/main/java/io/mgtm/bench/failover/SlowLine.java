package io.mgtm.bench.failover;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A line between two halves of a {@link ProcessNetwork}: a second bridge, and what lies between the
 * two. It is as quick as the rest until it is told otherwise. One thread.
 *
 * <p>All senders make packets of a line's size from here on, slow or not, so that a comparison has
 * the line in it and nothing else.
 */
public final class SlowLine {
  /** A wide-area line as the benchmark's profile has it, both ways alike, in netem's words. */
  public static final String WAN = "delay 15ms 3ms loss 0.1% rate 100mbit";

  private static final List<String> ENDS = List.of("line0", "line1");

  private final ProcessNetwork network;
  private final List<String> far = new ArrayList<>();

  private SlowLine(ProcessNetwork network) {
    this.network = network;
  }

  /** Lays it, with nobody behind it; it goes with the network. */
  public static SlowLine in(ProcessNetwork network) throws IOException {
    network.onBridge("ip link add br1 type bridge");
    network.onBridge("ip link set br1 up");
    network.onBridge("ip link add line0 type veth peer name line1");
    network.onBridge("ip link set line0 master br0 up");
    network.onBridge("ip link set line1 master br1 up");
    network.sendSingly();
    return new SlowLine(network);
  }

  /** These processes are behind it from here on, all others before it. */
  public void put(List<String> behind) throws IOException {
    for (String name : far) {
      network.onBridge("ip link set " + name + " master br0");
    }
    far.clear();
    for (String name : behind) {
      network.onBridge("ip link set " + name + " master br1");
      far.add(name);
    }
  }

  /**
   * Makes it slow, both ways.
   *
   * @param how in netem's words; with a rate packets keep their order
   * @throws IOException when this kernel has no netem
   */
  public void slow(String how) throws IOException {
    for (String end : ENDS) {
      try {
        network.onBridge("tc qdisc replace dev " + end + " root netem " + how);
      } catch (IOException e) {
        throw new IOException(
            "this kernel cannot make a line slow; run ./mgtm lab --wan, which brings one that can: "
                + e.getMessage().strip(),
            e);
      }
    }
  }

  /** Nothing passes, and no side is told. */
  public void cut() throws IOException {
    network.onBridge("ip link set line0 nomaster");
  }

  /** Ends a cut. */
  public void mend() throws IOException {
    network.onBridge("ip link set line0 master br0");
  }
}
