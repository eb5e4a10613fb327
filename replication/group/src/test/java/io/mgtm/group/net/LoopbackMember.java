package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jgroups.Address;
import org.jgroups.BytesMessage;
import org.jgroups.JChannel;
import org.jgroups.Message;
import org.jgroups.Receiver;
import org.jgroups.protocols.FRAG4;
import org.jgroups.protocols.SHARED_LOOPBACK;
import org.jgroups.protocols.SHARED_LOOPBACK_PING;
import org.jgroups.protocols.UNICAST4;
import org.jgroups.protocols.pbcast.GMS;
import org.jgroups.stack.Protocol;

/** A channel of JGroups whose others are in this JVM too, and what it has heard. */
final class LoopbackMember<L extends Protocol> implements Receiver, AutoCloseable {
  /** Below the multicast. */
  final L link;

  final List<String> heard = new CopyOnWriteArrayList<>();
  final JChannel channel;

  /**
   * A member that is connected on return.
   *
   * @param onTop of the stack, from the bottom up
   */
  LoopbackMember(
      String cluster, String name, L link, Protocol multicast, GMS membership, Protocol... onTop)
      throws Exception {
    this.link = link;
    List<Protocol> stack = new ArrayList<>();
    stack.add(new SHARED_LOOPBACK());
    stack.add(new SHARED_LOOPBACK_PING());
    stack.add(link);
    stack.add(multicast);
    stack.add(new UNICAST4());
    stack.add(membership.printLocalAddress(false));
    stack.add(new FRAG4().setFragSize(1_000));
    stack.addAll(List.of(onTop));
    channel = new JChannel(stack);
    channel.name(name);
    channel.setReceiver(this);
    channel.setDiscardOwnMessages(true);
    channel.connect(cluster);
  }

  @Override
  public void receive(Message message) {
    heard.add(new String(message.getArray(), message.getOffset(), message.getLength(), UTF_8));
  }

  void multicast(String text) throws Exception {
    send(null, text);
  }

  void tell(LoopbackMember<?> other, String text) throws Exception {
    send(other.channel.getAddress(), text);
  }

  /** As the group's messages are sent. */
  private void send(Address to, String text) throws Exception {
    channel.send(new BytesMessage(to, text.getBytes(UTF_8)).setFlag(Message.Flag.NO_RELIABILITY));
  }

  @Override
  public void close() {
    channel.close();
  }
}
