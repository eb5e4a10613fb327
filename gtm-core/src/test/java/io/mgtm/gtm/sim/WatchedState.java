package io.mgtm.gtm.sim;

import io.mgtm.group.Pieces;
import io.mgtm.group.ReplicatedState;
import io.mgtm.group.StatePicture;

/** A member's state with a trace of how it came about, which stands before the state. */
abstract class WatchedState<S extends ReplicatedState> implements ReplicatedState {
  final S state;
  final StateTrace trace;
  private final Fault fault;
  private final Runnable told;
  private final Runnable restored;

  /**
   * A state at its beginning.
   *
   * @param fault planted
   * @param told run when it is told that entries may be missing
   * @param restored run after each restore
   */
  WatchedState(S state, StateTrace trace, Fault fault, Runnable told, Runnable restored) {
    this.state = state;
    this.fault = fault;
    this.trace = trace;
    this.told = told;
    this.restored = restored;
  }

  @Override
  public void entriesMayBeMissing(long index, boolean keptByClients) {
    if (fault == Fault.LOSS_NOT_TOLD || fault == Fault.ACCEPTED_LOSS_NOT_TOLD) {
      return;
    }
    trace.entriesMayBeMissing(index);
    told.run();
    state.entriesMayBeMissing(index, keptByClients);
  }

  @Override
  public StatePicture picture() {
    return trace.before(state.picture());
  }

  @Override
  public Runnable load(Pieces encoded) {
    StateTrace.Head head = StateTrace.head(encoded);
    Runnable loaded = state.load(encoded);
    return () -> {
      trace.restore(head);
      loaded.run();
      restored.run();
    };
  }
}
