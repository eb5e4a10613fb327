package io.mgtm.gtm.sim;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.total.OrderedMachine;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** The state of a member in mode total; notes which own proposals ask to be forced. */
final class WatchedOrder extends WatchedState<OrderedMachine> implements OrderedMachine {
  private final LongConsumer appliedOwn;
  private final Fault fault;

  /** Own proposals that ask to be forced, and their places. */
  private final TreeMap<Long, Long> forced = new TreeMap<>();

  /**
   * As {@link WatchedState}.
   *
   * @param fault planted
   * @param appliedOwn told the number of each own proposal that was applied
   */
  WatchedOrder(
      OrderedMachine machine,
      StateTrace trace,
      Runnable told,
      Runnable restored,
      Fault fault,
      LongConsumer appliedOwn) {
    super(machine, trace, fault, told, restored);
    this.fault = fault;
    this.appliedOwn = appliedOwn;
  }

  /** What was applied since the state was replaced last: each proposal has one place. */
  private final Set<ByteBuffer> applied = new HashSet<>();

  /** Where the last of the own proposals up to a number stands that asked to be forced. */
  OptionalLong lastForcedUpTo(long number) {
    Map.Entry<Long, Long> last = forced.floorEntry(number);
    forced.headMap(number, true).clear();
    return last == null ? OptionalLong.empty() : OptionalLong.of(last.getValue());
  }

  /** Own proposals from a number on have lost their places. */
  void withdrawn(long fromNumber) {
    forced.tailMap(fromNumber, true).clear();
  }

  @Override
  public Durability apply(long index, long own, ByteBuffer payload) {
    trace.apply(index, payload);
    ByteBuffer copy = ByteBuffer.allocate(payload.remaining()).put(payload.duplicate()).flip();
    if (!applied.add(copy)) {
      throw new Violation(trace.name() + " applies a proposal again, as entry " + index);
    }
    Durability asked = state.apply(index, own, payload);
    if (own > 0) {
      if (asked == Durability.REQUIRED) {
        forced.put(own, index);
      }
      appliedOwn.accept(own);
    }
    return fault == Fault.AHEAD_TAKEN_FOR_BUFFERED && asked == Durability.AHEAD
        ? Durability.BUFFERED
        : asked;
  }

  @Override
  public Runnable load(Pieces encoded) {
    Runnable loaded = super.load(encoded);
    return () -> {
      applied.clear();
      loaded.run();
    };
  }
}
