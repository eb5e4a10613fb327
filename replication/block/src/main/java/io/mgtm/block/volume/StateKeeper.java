package io.mgtm.block.volume;

import java.util.ArrayDeque;
import java.util.function.UnaryOperator;

/**
 * The state and its changes, written down one after the other; a change is in force once it is
 * durable.
 */
final class StateKeeper {
  private record Update(UnaryOperator<VolumeState> how, Runnable then) {}

  private final VolumeEffects effects;
  private final ArrayDeque<Update> updates = new ArrayDeque<>();
  private VolumeState current;
  private VolumeState writing;
  private boolean failed;
  private boolean failing;

  StateKeeper(VolumeState initial, VolumeEffects effects) {
    this.current = initial;
    this.effects = effects;
  }

  VolumeState current() {
    return current;
  }

  /** Whether the last write of the state failed: it is tried again. */
  boolean isFailing() {
    return failing;
  }

  boolean isIdle() {
    return updates.isEmpty();
  }

  /** Changes the state; {@code then} runs once the change is durable. */
  void update(UnaryOperator<VolumeState> how, Runnable then) {
    updates.add(new Update(how, then));
    if (writing == null) {
      writeNext();
    }
  }

  private void writeNext() {
    Update next = updates.peek();
    if (next != null) {
      writing = next.how().apply(current);
      effects.persistState(writing);
    }
  }

  /** The write of the state ended; a failed one is tried again at the next tick. */
  void persisted(boolean succeeded) {
    failing = !succeeded;
    if (!succeeded) {
      failed = true;
      return;
    }
    current = writing;
    writing = null;
    Update done = updates.remove();
    done.then().run();
    if (writing == null) {
      writeNext();
    }
  }

  void retry() {
    if (failed) {
      failed = false;
      effects.persistState(writing);
    }
  }
}
