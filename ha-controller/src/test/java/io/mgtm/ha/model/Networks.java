package io.mgtm.ha.model;

import io.mgtm.common.HostPort;
import java.util.stream.IntStream;

/** Machines on several networks, for tests that have no addresses. */
public final class Networks {
  private Networks() {}

  /** The node with an address on each of so many. */
  public static Node on(Node node, int networks) {
    return new Node(
        node.site(),
        node.witness(),
        node.group(),
        IntStream.range(0, networks).mapToObj(i -> new HostPort("10.0." + i + ".1", 1)).toList(),
        node.api(),
        node.watchdogDevice());
  }
}
