package io.mgtm.gtm.sim;

import io.mgtm.group.StateMachine;
import java.nio.ByteBuffer;

/** A member's state with a trace of how it came about, which stands before the state. */
final class WatchedMachine implements StateMachine {
  private final StateMachine machine;
  private final StateTrace trace;
  private final Runnable told;
  private final Runnable restored;

  /**
   * A state at its beginning.
   *
   * @param told run when it is told that entries may be missing
   * @param restored run after each restore
   */
  WatchedMachine(StateMachine machine, StateTrace trace, Runnable told, Runnable restored) {
    this.machine = machine;
    this.trace = trace;
    this.told = told;
    this.restored = restored;
  }

  @Override
  public void apply(long index, ByteBuffer payload) {
    trace.apply(index, payload);
    machine.apply(index, payload);
  }

  @Override
  public void entriesMayBeMissing(long index) {
    trace.entriesMayBeMissing(index);
    told.run();
    machine.entriesMayBeMissing(index);
  }

  @Override
  public byte[] checkpoint() {
    return trace.before(machine.checkpoint());
  }

  @Override
  public void restore(ByteBuffer checkpoint) {
    trace.restore(checkpoint);
    machine.restore(checkpoint.slice());
    restored.run();
  }
}
