package io.mgtm.gtm.node.total;

import io.mgtm.gtm.node.engine.BatchOutput;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.node.engine.ServedCommands;
import io.mgtm.gtm.node.engine.StateCopy;
import java.util.ArrayList;
import java.util.List;

/**
 * What one proposal of this member holds, and what is to leave once it is settled. Owner thread.
 */
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
  private final List<Runnable> then = new ArrayList<>(0);
  private BatchOutput output = new BatchOutput();
  private boolean applied;
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

  BatchOutput output() {
    return output;
  }

  /** Something to be done once it is settled. */
  void afterwards(Runnable what) {
    then.add(what);
  }

  /** It has its place, and all its output is made. */
  void applied() {
    applied = true;
    output.hold();
  }

  /** Its place is taken back, or it will never have one: the output is void. */
  void reset() {
    if (applied) {
      output.unhold();
    }
    output.drop();
    output = new BatchOutput();
    then.clear();
    applied = false;
  }

  /** It is settled: sessions that it attached may send commands. */
  void admit(LocalAttachments attached) {
    for (Item item : items) {
      if (item.op() instanceof MemberOp.Attach op) {
        attached.admit(op.session(), op.attachment());
      }
    }
  }

  /** It is settled: the links get what is for them. */
  void write(RequestMetrics metrics) {
    if (applied) {
      output.unhold();
    }
    output.write();
    metrics.linkServed(commands, nanos);
  }

  /** After {@link #write}. */
  void flush() {
    output.flush();
    then.forEach(Runnable::run);
  }
}
