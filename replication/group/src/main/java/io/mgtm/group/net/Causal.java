package io.mgtm.group.net;

import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jgroups.Address;
import org.jgroups.EmptyMessage;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.stack.Protocol;
import org.jgroups.util.MessageBatch;

/**
 * Causal order for all messages of a channel: what a member sent after it had heard something is
 * nowhere delivered before that. It goes on top of a stack with FIFO multicast and membership
 * (GMS). {@link CausalOrder} decides; this class carries.
 *
 * <p>A message to one member is multicast too, with the name of its target, and all others drop it.
 * For a message may follow one to a single member by way of a third, who never saw that one; to
 * hold it back, everybody would have to know how many messages each member has sent to each other
 * (a matrix of counts instead of a vector, in each message), and messages of the two kinds, which
 * come by different protocols, would have to wait for each other. Counting all as multicasts costs
 * the bytes of what is meant for one, once more for each other member; in a group of three that is
 * little, and large messages to one member (a log that is caught up, a checkpoint) are rare.
 *
 * <p>What a member sends to itself, and messages without this protocol's header, pass unchanged. A
 * multicast does not come back to its sender: who needs it has it.
 *
 * <p>Any thread may send and bring messages. They are stamped and sent, and delivered, under one
 * lock, so that what runs on delivery must not wait for another thread that sends.
 */
public final class Causal extends Protocol {
  static final short ID = 600;

  private static final CausalOrder.Bounds BOUNDS = new CausalOrder.Bounds(8_192, 256L << 20, 2_000);

  static {
    ClassConfigurator.addProtocol(ID, Causal.class);
    ClassConfigurator.add(CausalHeader.MAGIC, CausalHeader.class);
  }

  private final ReentrantLock lock = new ReentrantLock();
  private CausalOrder<Address, Message> order;
  private long told;

  @Override
  public Object down(Message message) {
    if (message.getDest() != null && message.getDest().equals(local_addr)) {
      return down_prot.down(message);
    }
    lock.lock();
    try {
      if (order == null) {
        return null; // no view yet, so there is nobody to send to
      }
      return send(message, message.getDest(), false);
    } finally {
      lock.unlock();
    }
  }

  private Object send(Message message, Address target, boolean clock) {
    message.setDest(null);
    message.setFlag(Message.TransientFlag.DONT_LOOPBACK);
    message.putHeader(id, new CausalHeader(order.stamp(), target, clock));
    return down_prot.down(message);
  }

  @Override
  public Object up(Message message) {
    CausalHeader header = message.getHeader(id);
    if (header == null) {
      return up_prot.up(message);
    }
    lock.lock();
    try {
      received(message, header);
    } finally {
      lock.unlock();
    }
    return null;
  }

  @Override
  public void up(MessageBatch batch) {
    lock.lock();
    try {
      for (Iterator<Message> messages = batch.iterator(); messages.hasNext(); ) {
        Message message = messages.next();
        CausalHeader header = message.getHeader(id);
        if (header != null) {
          messages.remove();
          received(message, header);
        }
      }
    } finally {
      lock.unlock();
    }
    if (!batch.isEmpty()) {
      up_prot.up(batch);
    }
  }

  private void received(Message message, CausalHeader header) {
    order().received(nowMs(), message.getSrc(), header.stamp(), message, message.getLength());
    if (order().passedOver() > told) {
      told = order().passedOver();
      log.warn("%s: messages that others depend on did not come and are passed over", local_addr);
    }
  }

  private CausalOrder<Address, Message> order() {
    if (order == null) {
      order = new CausalOrder<>(local_addr, BOUNDS, this::deliver);
    }
    return order;
  }

  private void deliver(Message message) {
    CausalHeader header = message.getHeader(id);
    if (header.isClock()) {
      return;
    }
    if (header.target() == null || header.target().equals(local_addr)) {
      up_prot.up(message.setDest(header.target()));
    }
  }

  @Override
  public Object up(Event event) {
    Object result = up_prot.up(event);
    if (event.getType() == Event.VIEW_CHANGE) {
      // The receiver has heard of the view by now, and so takes messages of its new members.
      install(event.getArg());
    }
    return result;
  }

  private void install(View view) {
    lock.lock();
    try {
      boolean isSomebodyNew =
          order().installed(nowMs(), view.getViewId().getId(), view.getMembers());
      if (isSomebodyNew) {
        // By the way of the group's own messages, whose order it must keep.
        send(new EmptyMessage(null).setFlag(Message.Flag.NO_RELIABILITY), null, true);
      }
    } finally {
      lock.unlock();
    }
  }

  /** After a disconnect another address counts anew. */
  @Override
  public void stop() {
    lock.lock();
    try {
      order = null;
      told = 0;
    } finally {
      lock.unlock();
    }
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }
}
