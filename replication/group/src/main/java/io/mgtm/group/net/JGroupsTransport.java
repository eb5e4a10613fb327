package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.stream.Stream;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.util.ExtendedUUID;
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
  private static final String NAME_KEY = "mgtm.member";
  private static final String LINK_KEY = "mgtm.link";

  private final String name;
  private final JGroupsSettings settings;
  private final MessageOrder order;
  private final Optional<EventLoop> loop;
  private final Reach reach;
  private JChannel channel;

  /** Null without. */
  private DirectLinks links;

  /** The members of the view by name, but this one. */
  private volatile Map<String, Address> others = Map.of();

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
              settings, order == MessageOrder.CAUSAL ? List.of(new Causal()) : List.of());
      channel.addAddressGenerator(
          () -> {
            ExtendedUUID address = ExtendedUUID.randomUUID(name);
            address.put(NAME_KEY, name.getBytes(UTF_8));
            return links == null ? address : address.put(LINK_KEY, encode(links.address()));
          });
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

  private static String nameOf(Address address) {
    byte[] stored = address instanceof ExtendedUUID uuid ? uuid.get(NAME_KEY) : null;
    return stored == null ? "" : new String(stored, UTF_8);
  }

  /** As text, since JGroups shows it in its logs and threads' names. */
  private static byte[] encode(InetSocketAddress at) {
    return (at.getAddress().getHostAddress() + ':' + at.getPort()).getBytes(UTF_8);
  }

  /** Null when it has none. */
  private static DirectLinks.Peer peer(Address address) {
    byte[] stored = address instanceof ExtendedUUID uuid ? uuid.get(LINK_KEY) : null;
    if (stored == null) {
      return null;
    }
    String text = new String(stored, UTF_8);
    int colon = text.lastIndexOf(':');
    try {
      InetAddress host = InetAddress.getByName(text.substring(0, colon));
      int port = Integer.parseInt(text.substring(colon + 1));
      return new DirectLinks.Peer(process(address), new InetSocketAddress(host, port));
    } catch (UnknownHostException | IllegalArgumentException | StringIndexOutOfBoundsException e) {
      log.warn("{} says nonsense about where its links are taken", address, e);
      return null;
    }
  }

  private static UUID process(Address address) {
    ExtendedUUID id = (ExtendedUUID) address;
    return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
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
      Map<String, Address> before = others;
      Map<String, Address> now = new HashMap<>();
      for (Address address : view.getMembers()) {
        String member = nameOf(address);
        if (!member.isEmpty() && !member.equals(name)) {
          now.put(member, address);
        }
      }
      log.info("Member {} is connected with {}", name, now.keySet());
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
      others = Map.copyOf(now);
      addresses = Set.copyOf(now.values());
      if (links != null) {
        links.members(process(channel.getAddress()), peers(now));
      }
    }

    private static Map<String, DirectLinks.Peer> peers(Map<String, Address> members) {
      Map<String, DirectLinks.Peer> peers = new HashMap<>();
      members.forEach(
          (member, address) -> {
            DirectLinks.Peer peer = peer(address);
            if (peer != null) {
              peers.put(member, peer);
            }
          });
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
    Map<String, Address> known = others;
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
    return Stream.concat(Stream.of(name), others.keySet().stream()).sorted().toList();
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
