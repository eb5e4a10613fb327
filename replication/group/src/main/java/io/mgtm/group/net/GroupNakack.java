package io.mgtm.group.net;

import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Message;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.NAKACK4;
import org.jgroups.util.Buffer;
import org.jgroups.util.Digest;
import org.jgroups.util.MessageBatch;
import org.jgroups.util.SeqnoList;

/**
 * JGroups' reliable FIFO multicast, with a member that joins never left waiting for messages that
 * nobody has any more.
 *
 * <p>Who joins is told by the coordinator which message of each other member to begin with. Until
 * such a member has installed the new view too, it goes on sending, and drops what the members of
 * its old view have acknowledged. NAKACK4 (5.5.7) lets the new member ask for that without an
 * answer for ever, and hear nothing of the other, no view either: a group whose leader dies then
 * has none. Here the sender answers how far its messages are gone, and the new member goes on
 * behind them. They were sent to the view before.
 */
public final class GroupNakack extends NAKACK4 {
  static final short ID = 603;

  static {
    ClassConfigurator.addProtocol(ID, GroupNakack.class);
    ClassConfigurator.add(GoneHeader.MAGIC, GoneHeader.class);
  }

  /** For JGroups, by a stack's name of it too. */
  public GroupNakack() {
    setId(ClassConfigurator.getProtocolId(NAKACK4.class));
  }

  /** The member that has sent the messages hears that another lacks them. */
  @Override
  protected void handleXmitReq(Address requester, SeqnoList missing, Address sender) {
    boolean answerable = local_addr.equals(sender) && members.contains(requester);
    Buffer<Message> sent = answerable ? getBuf(sender) : null;
    if (sent != null && !missing.isEmpty() && missing.getFirst() <= sent.low()) {
      Message gone = new EmptyMessage(requester).putHeader(ID, new GoneHeader(sent.low()));
      down_prot.down(gone.setFlag(Message.Flag.OOB, Message.Flag.NO_FC));
    }
    super.handleXmitReq(requester, missing, sender);
  }

  @Override
  public Object up(Message message) {
    return isTaken(message) ? null : super.up(message);
  }

  @Override
  public void up(MessageBatch batch) {
    if (!batch.isMulticast()) {
      batch.removeIf(this::isTaken, true);
    }
    if (!batch.isEmpty()) {
      super.up(batch);
    }
  }

  private boolean isTaken(Message message) {
    GoneHeader header = message.getHeader(ID);
    if (header != null) {
      passOver(message.getSrc(), header.through());
    }
    return header != null;
  }

  private void passOver(Address sender, long through) {
    Buffer<Message> received = getBuf(sender);
    Entry entry = xmit_table.get(sender);
    if (received == null || entry == null || received.highestDelivered() >= through) {
      return;
    }
    log.debug(
        "%s: what %s sent before it saw this member join, up to %d, is passed over",
        local_addr, sender, through);
    if (through > received.high()) {
      overwriteDigest(new Digest(sender, through, through));
    } else {
      received.purge(through, true);
      removeAndDeliver(received, entry, sender, false, null);
    }
  }

  /** One that is further behind than there is room takes no message that is to come next. */
  @Override
  protected void handleHighestSeqno(Address sender, long highest) {
    Buffer<Message> received = getBuf(sender);
    if (received != null && highest - received.highestDelivered() > capacity) {
      long next = received.highestDelivered() + 1;
      retransmit(next, next, sender, false);
    } else {
      super.handleHighestSeqno(sender, highest);
    }
  }
}
