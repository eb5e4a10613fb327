package io.mgtm.gtm.sim;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.gateway.IdleLink;
import io.mgtm.gtm.gateway.Link;
import io.mgtm.gtm.gateway.LinkConnector;
import io.mgtm.gtm.gateway.LinkListener;
import io.mgtm.gtm.gateway.LinkNodes;
import io.mgtm.gtm.gateway.SimulatedGateway;
import io.mgtm.gtm.node.SimulatedLink;
import io.mgtm.gtm.node.SimulatedNode;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A gateway in its process, a proxy or a node, and the clients that it serves. */
final class SimGateway {
  private static final int CLIENTS = 2;

  private final Simulation simulation;
  private final World world;
  private final SimProcess process;
  private final GatewayKind kind;
  private final SimulatedGateway gateway;
  private final List<SimClient> clients = new ArrayList<>();
  private final Map<Long, Sent> sent = new HashMap<>();
  private boolean flushing;

  /** The last command of a session that was sent, and where to. */
  private record Sent(SimNode to, long last) {}

  SimGateway(Simulation simulation, SimProcess process, GatewayKind kind, List<String> nodes) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.process = process;
    this.kind = kind;
    gateway =
        new SimulatedGateway(
            process.host.name,
            new LinkNodes(
                nodes.stream().map(this::connector).toList(), address -> connector(address)),
            new SimulatedGateway.Time() {
              @Override
              public long nanos() {
                return process.host.clock.nanos();
              }

              @Override
              public void after(long delayMs, Runnable task) {
                process.after(delayMs, task);
              }
            },
            world.random.split(),
            this::flushSoon);
    for (int i = 0; i < CLIENTS; i++) {
      clients.add(new SimClient(simulation, process, gateway, (short) i));
    }
  }

  private void flushSoon() {
    if (!flushing) {
      flushing = true;
      process.owner.execute(
          () -> {
            flushing = false;
            gateway.flush();
          });
    }
  }

  private LinkConnector connector(String node) {
    boolean own = kind == GatewayKind.NODE && node.equals(process.host.name);
    return new LinkConnector() {
      @Override
      public String address() {
        return node;
      }

      @Override
      public boolean home() {
        return own;
      }

      @Override
      public Link connect(LinkListener listener) {
        return dial(node, own, listener);
      }
    };
  }

  private Link dial(String node, boolean own, LinkListener listener) {
    SimNode to = simulation.node(node);
    world.trace("%s dials %s", process.host.name, node);
    if (to == null || !to.isAlive() || !to.isOpen()) {
      process.owner.execute(() -> listener.closed("nobody listens"));
      return new IdleLink();
    }
    GatewayWire wire = new GatewayWire(world, simulation.network, process, to);
    simulation.wires.add(wire);
    Fault fault = simulation.scenario.fault();
    SimulatedLink link =
        new SimulatedLink(
            process.host.name,
            kind,
            own && fault != Fault.OWN_FRONT_AT_ONCE,
            world.nextNumber(),
            to.gtm(),
            new TracedListener(world, process.host.name, listener),
            wire) {
          @Override
          public void commands(long session, long acked, long first, int count, ByteBuf commands) {
            sending(to, session, first, first + count - 1);
            super.commands(session, acked, first, count, commands);
          }

          @Override
          public void present(LinkEntries entries) {
            world.note(Happening.PRESENTED);
            super.present(entries);
          }
        };
    wire.of(link);
    process.owner.execute(link::open);
    return fault.isOfGateways() ? new FaultyLink(link, fault, process.host.sent) : link;
  }

  /** Commands leave for a node. */
  private void sending(SimNode to, long session, long first, long last) {
    Sent before = sent.put(session, new Sent(to, last));
    if (before != null && before.to != to && first <= before.last) {
      world.note(Happening.REPLAYED);
    }
  }

  void start() {
    process.owner.execute(gateway::start);
    clients.forEach(SimClient::start);
  }

  /** Its clients ask for nothing more. */
  void stop() {
    clients.forEach(SimClient::stop);
  }

  /** What its clients have begun and not ended is open, and nothing else. */
  void checkOpen(SimulatedNode leader) {
    Map<Long, Set<Integer>> open = new TreeMap<>();
    clients.forEach(client -> client.addOpen(open));
    open.forEach(
        (session, gxids) -> {
          Set<Integer> known = leader.openOf(session);
          world.check(known.equals(gxids), "%s has %s open, and the group %s", this, gxids, known);
        });
  }

  boolean isDone() {
    return !process.isBehind() && clients.stream().allMatch(SimClient::isDone);
  }

  /** The group may end what its clients have begun. */
  void mayLoseSessions() {
    clients.forEach(SimClient::died);
  }

  /** Its process has died, and its clients with it. */
  void died() {
    clients.forEach(SimClient::died);
    process.host.sent.died();
    simulation.clients.died(gateway);
    gateway.close();
  }

  @Override
  public String toString() {
    return "%s %s %s trouble %s".formatted(kind, process.host.name, clients, gateway.trouble());
  }
}
