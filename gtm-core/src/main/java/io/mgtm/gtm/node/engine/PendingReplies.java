package io.mgtm.gtm.node.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Output of batches that waits for the log, and leaves in the order of the batches. Owner thread.
 */
public final class PendingReplies {
  private record Held(
      BatchOutput output,
      long index,
      long readIndex,
      List<Runnable> then,
      ServedCommands commands,
      long nanos) {}

  private final RequestMetrics metrics;
  private final BooleanSupplier mayAnswer;
  private final Deque<Held> held = new ArrayDeque<>();

  /**
   * None yet.
   *
   * @param mayAnswer whether the log lets anything leave now
   */
  public PendingReplies(RequestMetrics metrics, BooleanSupplier mayAnswer) {
    this.metrics = metrics;
    this.mayAnswer = mayAnswer;
  }

  int size() {
    return held.size();
  }

  /**
   * Holds a batch's output.
   *
   * @param index the log is to cover this index
   * @param readIndex and to have confirmed this read
   * @param then what is done once it has left
   * @param commands that were served
   * @param nanos when the batch began
   */
  public void add(
      BatchOutput output,
      long index,
      long readIndex,
      List<Runnable> then,
      ServedCommands commands,
      long nanos) {
    output.hold();
    held.addLast(new Held(output, index, readIndex, then, commands, nanos));
  }

  /**
   * The log has got on: what it covers now leaves.
   *
   * @param before writes what an output rests on, which leaves before it; told its index
   */
  void release(long index, long readIndex, ObjLongConsumer<BatchOutput> before) {
    if (held.isEmpty() || !mayAnswer.getAsBoolean()) {
      return;
    }
    List<Held> released = new ArrayList<>();
    for (Held next = held.peekFirst();
        next != null && next.index() <= index && next.readIndex() <= readIndex;
        next = held.peekFirst()) {
      released.add(held.removeFirst());
    }
    for (Held next : released) {
      next.output().unhold();
      before.accept(next.output(), next.index());
      next.output().write();
      metrics.linkServed(next.commands(), next.nanos());
    }
    // Between this look and the sockets lie microseconds; what is in them is out.
    boolean still = mayAnswer.getAsBoolean();
    for (Held next : released) {
      if (still) {
        next.output().flush();
      } else {
        next.output().abort();
      }
      next.then().forEach(Runnable::run);
    }
  }

  /** As above, of output that waits for its index alone. */
  public void release(long index) {
    release(index, 0, (output, at) -> {});
  }

  /** None of it will ever leave. */
  public void drop() {
    dropFrom(0);
  }

  /** What waits for this index or a later one will never leave. */
  public void dropFrom(long index) {
    List<Held> dropped = held.stream().filter(next -> next.index() >= index).toList();
    held.removeIf(next -> next.index() >= index);
    for (Held next : dropped) {
      next.output().unhold();
      next.output().drop();
    }
  }
}
