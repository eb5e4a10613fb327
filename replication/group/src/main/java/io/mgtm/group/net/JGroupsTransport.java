package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
 * A transport over JGroups. What goes to all other members of the view is multicast; all else is
 * unicast. A member's name travels in its address.
 */
public final class JGroupsTransport implements Transport {
  private static final Logger log = LoggerFactory.getLogger(JGroupsTransport.class);
  private static final String NAME_KEY = "mgtm.member";

  private final String name;
  private final JGroupsSettings settings;
  private final MessageOrder order;
  private JChannel channel;

  /** The members of the view by name, but this one. */
  private volatile Map<String, Address> others = Map.of();

  private volatile Set<Address> addresses = Set.of();

  /**
   * A transport that is not connected yet.
   *
   * @param name this member's
   */
  public JGroupsTransport(String name, JGroupsSettings settings) {
    this(name, settings, MessageOrder.FIFO);
  }

  /** As {@link #JGroupsTransport(String, JGroupsSettings)}, with an order of messages. */
  public JGroupsTransport(String name, JGroupsSettings settings, MessageOrder order) {
    this.name = name;
    this.settings = settings;
    this.order = order;
  }

  @Override
  public void start(Transport.Receiver receiver) {
    try {
      channel = openChannel();
      channel.addAddressGenerator(
          () -> ExtendedUUID.randomUUID(name).put(NAME_KEY, name.getBytes(UTF_8)));
      channel.name(name);
      channel.setDiscardOwnMessages(true);
      channel.setReceiver(new Incoming(receiver));
      channel.connect(settings.cluster());
    } catch (Exception e) {
      throw new LogException(
          Category.ACCESS,
          "Member %s cannot take part in the group at %s: %s; give it a free address of this machine"
              .formatted(name, settings.bind(), e.getMessage()),
          e);
    }
  }

  private JChannel openChannel() throws Exception {
    if (order == MessageOrder.CAUSAL) {
      return GroupChannels.open(settings, List.of(new Causal()));
    }
    return settings.stackFile().isPresent()
        ? new JChannel(settings.stackFile().get().toString())
        : new JChannel(JGroupsStack.of(settings));
  }

  private static String nameOf(Address address) {
    byte[] stored = address instanceof ExtendedUUID uuid ? uuid.get(NAME_KEY) : null;
    return stored == null ? "" : new String(stored, UTF_8);
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
    }
  }

  @Override
  public void send(List<String> to, byte[] message) {
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
    if (channel != null) {
      channel.close();
    }
  }
}
