package io.mgtm.group.net;

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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A transport over JGroups. An owner that is an event loop with sockets has {@link DirectLinks} to
 * the members that JGroups' view names, and messages take those. Without them, and to members
 * without such a link, what goes to all other members of the view is multicast, all else unicast. A
 * member's name travels in its address, and so does where its links are taken.
 */
public final class JGroupsTransport implements Transport {
  private static final Logger log = LoggerFactory.getLogger(JGroupsTransport.class);

  private final String name;
  private final JGroupsSettings settings;
  private final MessageOrder order;
  private final Optional<EventLoop> loop;
  private final Reach reach;
  private JChannel channel;

  /** Null without. */
  private DirectLinks links;

  private final OtherClusters otherClusters;

  /** Of the view. */
  private volatile NameHolders holders = NameHolders.NONE;

  private volatile Set<Address> addresses = Set.of();

  /**
   * A transport that is not connected yet.
   *
   * @param name this member's
   * @param loop the owner's, for direct links; none when all messages go over the channel
   * @param reach of the direct links
   */
  public JGroupsTransport(
      String name, JGroupsSettings settings, Optional<EventLoop> loop, Reach reach) {
    this(name, settings, MessageOrder.FIFO, loop, reach);
  }

  /** A transport that is not connected yet, with all messages over the channel in an order. */
  public JGroupsTransport(String name, JGroupsSettings settings, MessageOrder order) {
    this(name, settings, order, Optional.empty(), Reach.VIEW);
  }

  private JGroupsTransport(
      String name,
      JGroupsSettings settings,
      MessageOrder order,
      Optional<EventLoop> loop,
      Reach reach) {
    this.name = name;
    this.settings = settings;
    this.order = order;
    this.loop = loop;
    this.reach = reach;
    this.otherClusters =
        new OtherClusters(
            name, settings.cluster(), () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
  }

  /**
   * The event loop for direct links, when there is one: an owner may have it, and what encrypts in
   * the stack, or may do so in one of an operator's own, is never gone round.
   */
  public static Optional<EventLoop> loopOf(Executor owner, JGroupsSettings settings) {
    return settings.stackFile().isEmpty() && settings.secret().isEmpty() && DirectLinks.suit(owner)
        ? Optional.of((EventLoop) owner)
        : Optional.empty();
  }

  @Override
  public void start(Transport.Receiver receiver) {
    try {
      links = loop.map(owner -> new DirectLinks(owner, settings, reach, receiver)).orElse(null);
      channel =
          GroupChannels.open(
              settings,
              otherClusters,
              order == MessageOrder.CAUSAL ? List.of(new Causal()) : List.of());
      channel.addAddressGenerator(
          () -> MemberAddress.of(name, settings.bind(), links == null ? null : links.address()));
      channel.name(name);
      channel.setDiscardOwnMessages(true);
      channel.setReceiver(new Incoming(receiver));
      channel.connect(settings.cluster());
    } catch (LogException e) {
      throw e;
    } catch (Exception e) {
      throw GroupChannels.refused(name, settings, e);
    }
  }

  private final class Incoming implements org.jgroups.Receiver {
    private final Transport.Receiver receiver;

    Incoming(Transport.Receiver receiver) {
      this.receiver = receiver;
    }

    @Override
    public void receive(Message message) {
      if (!addresses.contains(message.getSrc())) {
        return; // of a process that this member's view does not have, yet or any more
      }
      receiver.received(
          ByteBuffer.wrap(message.getArray(), message.getOffset(), message.getLength()).slice());
    }

    @Override
    public void viewAccepted(View view) {
      Map<String, Address> before = holders.byName();
      NameHolders next = holders.in(view.getMembers(), channel.getAddress());
      Map<String, Address> now = next.byName();
      log.info("Member {} is connected with {}", name, now.keySet());
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
      // Last, so that nothing of another process is heard before the word that it is there.
      holders = next;
      addresses = Set.copyOf(now.values());
      if (links != null) {
        links.members(MemberAddress.process(channel.getAddress()), peers(now));
      }
    }

    private static Map<String, DirectLinks.Peer> peers(Map<String, Address> members) {
      Map<String, DirectLinks.Peer> peers = new HashMap<>();
      members.forEach(
          (member, address) ->
              MemberAddress.peer(address).ifPresent(peer -> peers.put(member, peer)));
      return peers;
    }
  }

  @Override
  public void send(List<String> to, byte[] message) {
    List<String> left = links != null && links.isOwner() ? links.send(to, message) : to;
    if (!left.isEmpty()) {
      sendOverChannel(left, message);
    }
  }

  private void sendOverChannel(List<String> to, byte[] message) {
    Map<String, Address> known = holders.byName();
    if (to.size() > 1 && to.size() == known.size() && known.keySet().containsAll(to)) {
      transmit(null, message);
      return;
    }
    for (String member : to) {
      Address address = known.get(member);
      if (address != null) {
        transmit(address, message);
      }
    }
  }

  private void transmit(Address to, byte[] message) {
    try {
      Message out = new BytesMessage(to, message);
      out.setFlag(Message.Flag.NO_FC);
      out.setFlag(Message.TransientFlag.DONT_BLOCK).setFlag(Message.TransientFlag.DONT_LOOPBACK);
      if (order == MessageOrder.FIFO
          && settings.stackFile().isEmpty()
          && message.length < JGroupsStack.FRAGMENT_BYTES) {
        out.setFlag(Message.Flag.NO_RELIABILITY);
      }
      channel.send(out);
    } catch (Exception e) {
      log.debug("A message was not sent and will come again: {}", e.toString());
    }
  }

  @Override
  public List<String> connected() {
    return Stream.concat(Stream.of(name), holders.byName().keySet().stream()).sorted().toList();
  }

  @Override
  public List<String> warnings() {
    return Stream.concat(holders.rivals().stream(), otherClusters.sentences().stream()).toList();
  }

  @Override
  public void close() {
    if (links != null) {
      links.close();
    }
    if (channel != null) {
      channel.close();
    }
  }
}
