package io.mgtm.gtm.sim;

import io.mgtm.group.StateMachine;
import java.nio.ByteBuffer;

/** The state of a member that follows or leads. */
final class WatchedMachine extends WatchedState<StateMachine> implements StateMachine {

  /** As {@link WatchedState}. */
  WatchedMachine(
      StateMachine machine, StateTrace trace, Fault fault, Runnable told, Runnable restored) {
    super(machine, trace, fault, told, restored);
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    trace.apply(index, payload);
    state.apply(index, payload);
  }
}
