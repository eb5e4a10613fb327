package io.mgtm.group.net;

import io.mgtm.common.AllowList;
import io.mgtm.common.Rarely;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who may connect to a port of the group: from allowed networks only, and so many of one address at
 * a time that it takes no other's place. Any thread.
 */
final class Gate {
  private static final Logger log = LoggerFactory.getLogger(Gate.class);

  /** A member has one or two; some more may wait to be found dead. */
  static final int OF_ONE_ADDRESS_MAX = 32;

  private final AllowList allowed;
  private final Rarely refusals = new Rarely();
  private final Map<InetAddress, List<BooleanSupplier>> inside = new HashMap<>();

  Gate(AllowList allowed) {
    this.allowed = allowed;
  }

  /**
   * Whether a connection may stay.
   *
   * @param isOpen tells from here on whether it is still there
   */
  boolean admits(SocketAddress from, BooleanSupplier isOpen) {
    String whyNot =
        !allowed.allows(from)
            ? "it comes from no network of access.members"
            : hasRoom(((InetSocketAddress) from).getAddress(), isOpen)
                ? null
                : OF_ONE_ADDRESS_MAX + " connections of its address are open";
    if (whyNot != null) {
      refusals.run(more -> log.warn("Turned away {} at the group: {}{}", from, whyNot, more));
    }
    return whyNot == null;
  }

  private synchronized boolean hasRoom(InetAddress address, BooleanSupplier isOpen) {
    inside
        .values()
        .removeIf(
            connections -> {
              connections.removeIf(open -> !open.getAsBoolean());
              return connections.isEmpty();
            });
    List<BooleanSupplier> connections = inside.computeIfAbsent(address, a -> new ArrayList<>());
    return connections.size() < OF_ONE_ADDRESS_MAX && connections.add(isOpen);
  }
}
