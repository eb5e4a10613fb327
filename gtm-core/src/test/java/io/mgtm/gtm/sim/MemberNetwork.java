package io.mgtm.gtm.sim;

import io.mgtm.group.net.Transport;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The network between hosts: members' messages are late, lost, repeated, out of their order, or cut
 * off in one direction or both.
 */
final class MemberNetwork {
  private final World world;
  private final Map<String, SimHost> hosts;
  private final Map<String, SimTransport> transports = new TreeMap<>();
  private final Set<String> cut = new HashSet<>();
  private final Map<String, Long> lastDelivery = new HashMap<>();
  private final boolean inOrder;

  /** Null but in mode lazy. */
  private Views views;

  /** How long a message takes at most. */
  private final int delayMs;

  /** What is under way still when a process has been dead for so long is lost. */
  private final int lostMs;

  private final int lossPerMille;
  private final int repeatPerMille;
  private final int spikePerMille;
  private boolean held;
  private boolean healthy;
  private boolean healthyForGood;

  /** A network; in mode lazy the transport loses nothing but with a process. */
  MemberNetwork(World world, Map<String, SimHost> hosts, Scenario scenario) {
    this.world = world;
    this.hosts = hosts;
    boolean reliable = scenario.isLazy();
    // Without cuts only what is under way when a leader dies can be lost: more of it then.
    boolean crashesOnly = reliable && !scenario.witnessed();
    this.inOrder = reliable || !world.oneIn(3);
    this.delayMs = crashesOnly && world.random.nextBoolean() ? 12 : 2;
    this.lostMs = crashesOnly ? delayMs / 2 : 5;
    this.lossPerMille = !reliable && world.oneIn(3) ? world.random.nextInt(100) : 0;
    this.repeatPerMille = !reliable && world.oneIn(3) ? world.random.nextInt(100) : 0;
    this.spikePerMille = world.oneIn(3) ? world.random.nextInt(60) : 5;
  }

  void use(Views of) {
    views = of;
  }

  private static String way(String from, String to) {
    return from + '>' + to;
  }

  void cut(String from, String to) {
    cut.add(way(from, to));
  }

  void cutBoth(String one, String other) {
    cut(one, other);
    cut(other, one);
  }

  void mend(String one, String other) {
    if (!held) {
      cut.remove(way(one, other));
      cut.remove(way(other, one));
    }
  }

  boolean isCut(String from, String to) {
    return cut.contains(way(from, to));
  }

  void heal() {
    if (!held) {
      if (!cut.isEmpty()) {
        world.note(Happening.HEALED);
      }
      cut.clear();
    }
  }

  /** Heals, and from here on cuts stay whoever heals, as who made others before will. */
  void hold() {
    heal();
    held = true;
  }

  void release() {
    held = false;
    heal();
  }

  /** From here on nothing is lost. */
  void healForGood() {
    release();
    healthy = true;
    healthyForGood = true;
  }

  /** Whether messages are lost, repeated and late. */
  void disturb(boolean so) {
    healthy = !so || healthyForGood;
  }

  /** The way of a process to the others. */
  SimTransport transport(SimProcess process) {
    SimTransport transport = new SimTransport(process);
    transports.put(process.host.name, transport);
    return transport;
  }

  /** Everyone hears that a member is gone, though it may not be so. */
  void tellDown(String gone, int withinMs) {
    tell(gone, withinMs, transport -> transport.receiver.down(gone));
  }

  /** A member seems to be gone: by connections that end, by the view, by both, or not at all. */
  void hint(String gone) {
    if (world.random.nextBoolean()) {
      tell(gone, 3, transport -> transport.receiver.broken(gone));
    }
    if (world.random.nextBoolean()) {
      tellDown(gone, 10);
    }
  }

  void tellUp(String back, int withinMs) {
    tell(back, withinMs, transport -> transport.receiver.up(back));
  }

  /** A member's view says something, in the order of what it says. */
  void tellNow(String member, Consumer<Transport.Receiver> what) {
    SimTransport transport = transports.get(member);
    if (transport != null && transport.receiver != null && transport.process.isAlive()) {
      transport.process.owner.execute(() -> what.accept(transport.receiver));
    }
  }

  private void tell(String of, int withinMs, Consumer<SimTransport> what) {
    transports.forEach(
        (name, transport) -> {
          if (!name.equals(of)) {
            world.after(
                world.some(withinMs * World.MS),
                () -> {
                  if (transport.receiver != null && transport.process.isAlive()) {
                    transport.process.owner.execute(() -> what.accept(transport));
                  }
                });
          }
        });
  }

  /** What a dead process had sent arrives in part, at each of the others another one. */
  void loseWhatWasSent(SimProcess dead) {
    SimTransport transport = transports.get(dead.host.name);
    if (transport != null && transport.process == dead) {
      for (String other : hosts.keySet()) {
        transport.lostAfter.put(other, world.now() + world.some(lostMs * World.MS));
      }
    }
  }

  /** Where one process sends and receives. */
  final class SimTransport implements Transport {
    private final SimProcess process;
    private final Map<String, Long> lostAfter = new HashMap<>();
    private Receiver receiver;

    private SimTransport(SimProcess process) {
      this.process = process;
    }

    @Override
    public void start(Receiver to) {
      receiver = to;
    }

    @Override
    public void send(List<String> to, byte[] message) {
      for (String other : to) {
        process.effect();
        if (isApart(other)) {
          world.note(Happening.MESSAGE_CUT_OFF);
          continue;
        }
        if (!healthy && world.random.nextInt(1000) < lossPerMille) {
          world.note(Happening.MESSAGE_LOST);
          continue;
        }
        deliverLater(other, message);
        if (!healthy && world.random.nextInt(1000) < repeatPerMille) {
          deliverLater(other, message);
          world.note(Happening.MESSAGE_REPEATED);
        }
      }
    }

    private boolean isApart(String other) {
      return isCut(name(), other) || (views != null && !views.isTogether(name(), other));
    }

    private String name() {
      return process.host.name;
    }

    private void deliverLater(String to, byte[] message) {
      long at = world.now() + process.pauseLeft() + 100_000 + world.some(delayMs * World.MS);
      if (!healthy && world.random.nextInt(1000) < spikePerMille) {
        at += world.some(300 * World.MS);
        world.note(Happening.MESSAGE_LATE);
      }
      String way = way(name(), to);
      long last = lastDelivery.getOrDefault(way, 0L);
      if (at < last && !inOrder) {
        world.note(Happening.MESSAGE_OVERTAKEN);
      } else {
        at = Math.max(at, last);
        lastDelivery.put(way, at);
      }
      world.after(at - world.now(), () -> deliver(to, message));
    }

    private void deliver(String to, byte[] message) {
      SimTransport other = transports.get(to);
      if (other == null
          || !other.process.isAlive()
          || other.receiver == null
          || isApart(to)
          || world.now() > lostAfter.getOrDefault(to, Long.MAX_VALUE)) {
        return;
      }
      other.process.owner.execute(
          () -> other.receiver.receivedByOwner(ByteBuffer.wrap(message).asReadOnlyBuffer()));
    }

    @Override
    public void flush() {}

    @Override
    public List<String> connected() {
      return hosts.values().stream()
          .filter(
              host ->
                  host.name.equals(name())
                      || (host.isUp() && !isApart(host.name) && !isCut(host.name, name())))
          .map(host -> host.name)
          .toList();
    }

    @Override
    public void close() {
      receiver = null;
    }
  }
}
