package io.mgtm.query.fleet;

import io.mgtm.group.LogException;
import io.mgtm.group.Pieces;
import io.mgtm.group.StateMachine;
import io.mgtm.group.StatePicture;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.OrderState;
import java.nio.ByteBuffer;

/** What entries of the log of commits mean to the state. Belongs to the log's owner. */
final class OrderMachine implements StateMachine {
  private final OrderState state;
  private final Runnable whenLed;

  /**
   * Of a state.
   *
   * @param whenLed called when an entry says who leads, or serves
   */
  OrderMachine(OrderState state, Runnable whenLed) {
    this.state = state;
    this.whenLed = whenLed;
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    try {
      Entry entry = Entry.decoded(payload);
      state.apply(entry);
      if (entry instanceof Entry.Leads) {
        whenLed.run();
      }
    } catch (IllegalArgumentException e) {
      throw new LogException(LogException.Category.FORMAT, "The log of commits: " + e.getMessage());
    }
  }

  @Override
  public StatePicture picture() {
    ByteBuffer encoded = state.encoded();
    byte[] bytes = new byte[encoded.remaining()];
    encoded.get(bytes);
    return StatePicture.of(bytes);
  }

  @Override
  public Runnable load(Pieces encoded) {
    OrderState loaded = OrderState.decoded(encoded.rest());
    return () -> state.replaceBy(loaded);
  }
}
