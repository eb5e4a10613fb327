package io.mgtm.gtm.sim;

import io.mgtm.group.Durability;
import io.mgtm.group.Pieces;
import io.mgtm.group.StatePicture;
import io.mgtm.group.total.OrderedMachine;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.LongConsumer;

/** What {@link WatchedMachine} is, in mode total; notes which own proposals ask to be forced. */
final class WatchedOrder implements OrderedMachine {
  private final OrderedMachine machine;
  private final StateTrace trace;
  private final Runnable told;
  private final Runnable restored;
  private final LongConsumer appliedOwn;

  /** Own proposals that ask to be forced, and their places. */
  private final TreeMap<Long, Long> forced = new TreeMap<>();

  /**
   * A state at its beginning.
   *
   * @param told run when it is told that entries may be missing
   * @param restored run after each restore
   * @param appliedOwn told the number of each own proposal that was applied
   */
  WatchedOrder(
      OrderedMachine machine,
      StateTrace trace,
      Runnable told,
      Runnable restored,
      LongConsumer appliedOwn) {
    this.machine = machine;
    this.trace = trace;
    this.told = told;
    this.restored = restored;
    this.appliedOwn = appliedOwn;
  }

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
    Durability asked = machine.apply(index, own, payload);
    if (own > 0) {
      if (asked == Durability.REQUIRED) {
        forced.put(own, index);
      }
      appliedOwn.accept(own);
    }
    return asked;
  }

  @Override
  public void entriesMayBeMissing(long index) {
    trace.entriesMayBeMissing(index);
    told.run();
    machine.entriesMayBeMissing(index);
  }

  @Override
  public StatePicture picture() {
    return trace.before(machine.picture());
  }

  @Override
  public Runnable load(Pieces encoded) {
    StateTrace.Head head = StateTrace.head(encoded);
    Runnable state = machine.load(encoded);
    return () -> {
      trace.restore(head);
      state.run();
      restored.run();
    };
  }
}
