package io.mgtm.gtm.sim;

import io.mgtm.gtm.node.SimulatedLink;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The connection between a gateway and a node: keeps the order of each direction, waits while the
 * network is cut, and is found broken some time after one end has died.
 */
final class GatewayWire implements SimulatedLink.Wire {
  private static final long RETRY_MS = 20;

  private final World world;
  private final MemberNetwork network;
  private final SimProcess gateway;
  private final SimProcess node;
  private final Direction toNode;
  private final Direction toGateway;
  private SimulatedLink link;
  private boolean broken;

  GatewayWire(World world, MemberNetwork network, SimProcess gateway, SimProcess node) {
    this.world = world;
    this.network = network;
    this.gateway = gateway;
    this.node = node;
    this.toNode = new Direction(gateway, node);
    this.toGateway = new Direction(node, gateway);
  }

  void of(SimulatedLink carried) {
    link = carried;
  }

  SimProcess gateway() {
    return gateway;
  }

  SimProcess node() {
    return node;
  }

  @Override
  public void toNode(Runnable message) {
    toNode.send(message);
  }

  @Override
  public void toGateway(Runnable message) {
    toGateway.send(message);
  }

  @Override
  public void end(String why) {
    breakNow(why);
  }

  /** What is on its way is lost; each end learns of it when the network lets it. */
  void breakNow(String why) {
    if (broken) {
      return;
    }
    broken = true;
    world.trace("the link from %s to %s breaks: %s", gateway.host.name, node.host.name, why);
    tell(node, gateway, () -> link.closed(why));
    tell(gateway, node, () -> link.gone());
  }

  private void tell(SimProcess from, SimProcess to, Runnable what) {
    world.after(
        100_000 + world.some(World.MS),
        () -> {
          if (!to.isAlive()) {
            return;
          }
          // Who has closed it knows without the network; a cut hides the death of the other.
          if (from.isAlive() || !network.isCut(from.host.name, to.host.name)) {
            to.owner.execute(what);
          } else {
            tell(from, to, what);
          }
        });
  }

  private final class Direction {
    private final SimProcess from;
    private final SimProcess to;
    private final Deque<Runnable> queue = new ArrayDeque<>();
    private boolean moving;

    Direction(SimProcess from, SimProcess to) {
      this.from = from;
      this.to = to;
    }

    void send(Runnable message) {
      if (broken || !from.isAlive()) {
        return;
      }
      from.effect();
      queue.add(message);
      move(from.pauseLeft());
    }

    private void move(long extra) {
      if (moving || queue.isEmpty()) {
        return;
      }
      moving = true;
      long delay = from == to ? world.some(10_000) : 50_000 + world.some(World.MS);
      world.after(extra + delay, this::arrive);
    }

    private void arrive() {
      moving = false;
      if (broken) {
        return;
      }
      if (network.isCut(from.host.name, to.host.name)) {
        move(RETRY_MS * World.MS);
        return;
      }
      // All that was sent by now arrives together, as TCP does it.
      for (int some = queue.size(); some > 0; some--) {
        Runnable message = queue.poll();
        to.owner.execute(
            () -> {
              if (!broken) {
                message.run();
              }
            });
      }
    }
  }
}
