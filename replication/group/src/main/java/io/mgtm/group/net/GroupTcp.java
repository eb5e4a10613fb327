package io.mgtm.group.net;

import org.jgroups.Address;
import org.jgroups.Message;
import org.jgroups.PhysicalAddress;
import org.jgroups.protocols.PerDestinationBundler;
import org.jgroups.protocols.TCP;
import org.jgroups.util.ByteArrayDataOutputStream;
import org.jgroups.util.MaxOneThreadPerSender;

/**
 * JGroups' TCP with a short way for the group's own messages, those that are sent without
 * reliability: the thread that sends one puts it into the connection's queue itself, and the thread
 * that reads one from a connection delivers it. Neither goes through JGroups' bundler and pool, so
 * that a message wakes two threads less on either side. All other messages go JGroups' way.
 *
 * <p>A member without a connection is left to the bundler's thread, which makes one: that may take
 * as long as a connection attempt does.
 */
final class GroupTcp extends TCP {

  GroupTcp() {
    setBundler(new ShortWayOut());
    msg_processing_policy = new ShortWayIn();
    message_processing_policy = null; // the name of one that would take its place
  }

  static boolean takesShortWay(Message message) {
    return message.isFlagSet(Message.Flag.NO_RELIABILITY);
  }

  private boolean isConnected(Address member) {
    PhysicalAddress address = getPhysicalAddressFromCache(member);
    return address != null && srv.connectionEstablishedTo(address);
  }

  private final class ShortWayOut extends PerDestinationBundler {
    private final ThreadLocal<ByteArrayDataOutputStream> buffers =
        ThreadLocal.withInitial(() -> new ByteArrayDataOutputStream(1 << 10));

    @Override
    public void send(Message message) throws Exception {
      if (takesShortWay(message) && isReady(message.getDest())) {
        ByteArrayDataOutputStream buffer = buffers.get();
        buffer.position(0);
        sendSingle(message.getDest(), message, buffer);
      } else {
        super.send(message);
      }
    }

    private boolean isReady(Address to) {
      if (to != null) {
        return isConnected(to);
      }
      for (Address member : GroupTcp.this.members) {
        if (!member.equals(local_addr) && !isConnected(member)) {
          return false;
        }
      }
      return true;
    }
  }

  private static final class ShortWayIn extends MaxOneThreadPerSender {
    @Override
    public boolean process(Message message, boolean oob) {
      if (!takesShortWay(message)) {
        return super.process(message, oob);
      }
      tp.passMessageUp(message, true, message.getDest() == null, true);
      return true;
    }
  }
}
