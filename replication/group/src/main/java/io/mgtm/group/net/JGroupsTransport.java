package io.mgtm.group.net;

import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.netty.channel.EventLoop;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.protocols.pbcast.GMS;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transport over JGroups: what goes to all other members of the view is multicast, all else
 * unicast. Messages keep the order of their sender, and may be lost, as the core expects; so they
 * pass by JGroups' retransmission. A member's name travels in its address.
 *
 * <p>With the built-in stack, that is over {@link NettyTransport} on the owner's event loop, or on
 * one of its own for another owner. With a stack of an operator's own, large messages go in pieces,
 * by JGroups' reliable unicast but in causal order.
 */
public final class JGroupsTransport implements Transport {
  private static final Logger log = LoggerFactory.getLogger(JGroupsTransport.class);

  /** Larger messages go in pieces with a stack of an operator's own. */
  private static final int PIECE_BYTES = 60_000;

  private final String name;
  private final JGroupsSettings settings;

  /** Whether no message is delivered before one that it causally follows: see {@link Causal}. */
  private final boolean causal;

  private final Optional<EventLoop> loop;
  private final Reach reach;
  private final Strangers strangers;
  private final Optional<NettyTransport> network;
  private Receiver receiver;
  private JChannel channel;
  private Thread connecting;
  private volatile boolean closed;

  /** Of the view. */
  private volatile NameHolders holders = NameHolders.NONE;

  /** Who is heard and sent to; with {@link Reach#CONNECTION} as long as the network holds it. */
  private volatile Map<String, Address> reached = Map.of();

  private volatile Set<Address> heard = Set.of();

  /**
   * A transport that is not connected yet.
   *
   * @param name this member's
   * @param owner of the log; its sockets are the owner's when it is an event loop
   */
  public JGroupsTransport(
      String name, JGroupsSettings settings, GroupMode mode, Executor owner, Reach reach) {
    this.name = name;
    this.settings = settings;
    this.causal = mode == GroupMode.CAUSAL;
    this.loop = LoopSockets.suit(owner) ? Optional.of((EventLoop) owner) : Optional.empty();
    this.reach = reach;
    this.strangers =
        new Strangers(
            name,
            settings.cluster(),
            settings.secretFingerprint(),
            () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
    this.network =
        settings.stackFile().isPresent()
            ? Optional.empty()
            : Optional.of(
                new NettyTransport(settings, loop, reach, strangers::isStranger, this::broken));
  }

  @Override
  public void start(Receiver what) {
    receiver = what;
    try {
      channel = GroupChannels.open(settings, network, causal ? List.of(new Causal()) : List.of());
      channel.addAddressGenerator(() -> MemberAddress.of(name, settings.bind()));
      channel.name(name);
      channel.setDiscardOwnMessages(true);
      channel.setReceiver(new Incoming());
      if (network.isEmpty()) {
        channel.connect(settings.cluster());
        return;
      }
      network.get().listen();
      // Not by this thread, which may be the one that reads the answers.
      connecting = daemon(this::connect, "mgtm-group-connect-" + name);
    } catch (LogException e) {
      throw e;
    } catch (Exception e) {
      throw GroupChannels.refused(name, settings, e);
    }
  }

  private void connect() {
    try {
      channel.connect(settings.cluster());
    } catch (Exception e) {
      if (!closed) {
        log.error("{}", GroupChannels.refused(name, settings, e).getMessage(), e);
      }
    }
  }

  private final class Incoming implements org.jgroups.Receiver {
    @Override
    public void receive(Message message) {
      Address from = message.getSrc();
      if (closed || !heard.contains(from)) {
        return; // of a process that this member's view does not have, yet or any more
      }
      ByteBuffer bytes =
          ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength()).slice();
      if (loop.isPresent() && loop.get().inEventLoop()) {
        receiver.receivedByOwner(bytes);
      } else {
        receiver.received(bytes);
      }
    }

    @Override
    public void viewAccepted(View view) {
      Map<String, Address> before = holders.byName();
      NameHolders next = holders.in(view.getMembers(), channel.getAddress());
      Map<String, Address> now = next.byName();
      // A process that cannot be let in makes a new view of the same members again and again.
      if (now.isEmpty() || !now.equals(before)) {
        log.info("Member {} is connected with {}", name, now.keySet());
      }
      next.rivals().stream()
          .filter(rival -> !holders.rivals().contains(rival))
          .forEach(rival -> log.error("Member {}: {}", name, rival));
      before.forEach(
          (member, address) -> {
            if (!address.equals(now.get(member))) {
              receiver.down(member);
            }
          });
      now.forEach(
          (member, address) -> {
            if (!address.equals(before.get(member))) {
              receiver.up(member);
            }
          });
      if (!next.ownRival().equals(holders.ownRival())) {
        receiver.rival(next.ownRival());
      }
      // Last, so that nothing of another process is heard before the word that it is there.
      Map<String, Address> all =
          network.isPresent() && reach == Reach.CONNECTION
              ? new HashMap<>(reached)
              : new HashMap<>();
      all.putAll(now);
      holders = next;
      reached = Map.copyOf(all);
      heard = Set.copyOf(all.values());
    }
  }

  /** The loop's thread. */
  private void broken(Address process) {
    String member = MemberAddress.nameOf(process);
    if (!closed && loop.isPresent() && process.equals(holders.byName().get(member))) {
      receiver.broken(member);
    }
  }

  @Override
  public void send(List<String> to, byte[] message) {
    NameHolders now = holders;
    // In causal order all messages must take one way.
    boolean inPieces = network.isEmpty() && !causal && message.length >= PIECE_BYTES;
    if (!inPieces && to.size() > 1 && now.areAll(to)) {
      transmit(null, message, true);
      return;
    }
    for (String member : to) {
      Address address = reached.get(member);
      if (address != null) {
        transmit(address, message, !inPieces);
      }
    }
  }

  private void transmit(Address to, byte[] message, boolean whole) {
    try {
      Message out = new BytesMessage(to, message);
      out.setFlag(Message.Flag.NO_FC);
      out.setFlag(Message.TransientFlag.DONT_BLOCK).setFlag(Message.TransientFlag.DONT_LOOPBACK);
      if (whole) {
        out.setFlag(Message.Flag.NO_RELIABILITY);
      }
      channel.send(out);
    } catch (Exception e) {
      log.debug("A message was not sent and will come again: {}", e.toString());
    }
  }

  @Override
  public void flush() {
    network.ifPresent(NettyTransport::flush);
  }

  @Override
  public List<String> connected() {
    return Stream.concat(Stream.of(name), holders.byName().keySet().stream()).sorted().toList();
  }

  @Override
  public List<String> warnings() {
    return Stream.concat(holders.rivals().stream(), strangers.sentences().stream()).toList();
  }

  @Override
  public Optional<String> refusedCertificate() {
    return network.flatMap(NettyTransport::refusedCertificate);
  }

  @Override
  public void close() {
    closed = true;
    network.ifPresent(NettyTransport::leave);
    if (channel == null) {
      return;
    }
    if (network.isEmpty()) {
      channel.close();
      return;
    }
    // The goodbye is enough; what JGroups says as it leaves is not answered any more.
    GMS views = channel.getProtocolStack().findProtocol(GMS.class);
    views.setLeaveTimeout(1).setMaxJoinAttempts(1);
    daemon(this::closeChannel, "mgtm-group-close-" + name);
  }

  private void closeChannel() {
    try {
      if (connecting != null) {
        connecting.join();
      }
      channel.close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Thread daemon(Runnable task, String threadName) {
    Thread thread = new Thread(task, threadName);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }
}
