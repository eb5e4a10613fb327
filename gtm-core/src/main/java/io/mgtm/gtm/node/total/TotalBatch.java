package io.mgtm.gtm.node.total;

import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.ServedCommands;
import io.mgtm.gtm.node.engine.StateCopy;
import java.util.ArrayList;
import java.util.List;

/** What one proposal of this member holds. Owner thread. */
final class TotalBatch {
  /**
   * One thing of it.
   *
   * @param peer the link that brought it; null for what the member itself proposes
   * @param op null for a copy
   * @param copy who wants the state at this place; null else
   */
  record Item(GatewayPeer peer, MemberOp op, StateCopy copy) {}

  private final List<Item> items = new ArrayList<>();
  private final ServedCommands commands = new ServedCommands();
  private final long nanos = System.nanoTime();
  private long number;
  private long replyBytes;

  void add(Item item) {
    items.add(item);
    if (item.op() instanceof MemberOp.Commands op) {
      op.commands().forEach(c -> commands.add(c.command()));
    }
  }

  List<Item> items() {
    return items;
  }

  boolean isEmpty() {
    return items.isEmpty();
  }

  boolean holds(MemberOp op) {
    return items.stream().anyMatch(item -> op.equals(item.op()));
  }

  /** Its commands and queries. */
  ServedCommands commands() {
    return commands;
  }

  /** When it began, by System.nanoTime. */
  long nanos() {
    return nanos;
  }

  /** The replies will take so much more, at most about. */
  void promise(long bytes) {
    replyBytes += bytes;
  }

  /** What the replies take, at most about. */
  long replyBytes() {
    return replyBytes;
  }

  void proposed(long as) {
    number = as;
  }

  long number() {
    return number;
  }

  /** It is settled: sessions that it attached may send commands. */
  void admit(LocalAttachments attached) {
    for (Item item : items) {
      if (item.op() instanceof MemberOp.Attach op) {
        attached.admit(op.session(), op.attachment());
      }
    }
  }
}
