package io.mgtm.block.volume;

import java.util.function.BooleanSupplier;

/** How this copy stands to the source that it follows, and what of that outlives a crash. */
final class Following {
  private final VolumeCore core;
  private final StateKeeper states;
  private final VolumeEffects effects;
  private boolean on;

  Following(VolumeCore core, StateKeeper states, VolumeEffects effects) {
    this.core = core;
    this.states = states;
    this.effects = effects;
  }

  /** Whether this side equals its connected source, but for what is under way. */
  boolean isOn() {
    return on;
  }

  /** Whether {@code other} has what this side has, and more. */
  boolean isBehind(Identity other) {
    Generations own = states.current().generations();
    return !own.isEmpty()
        && other.volume().equals(states.current().name())
        && other.generations().current() != own.current()
        && other.generations().contains(own.current());
  }

  /** A resync from {@code source} begins. */
  void begin(Identity source, Runnable then) {
    on = false;
    core.replication().becomeInconsistent(source.nodeId(), source.openings().newest(), then);
  }

  /** This side equals {@code source}, if it is {@code stillThere} once that is written down. */
  void adopt(Generations generations, Identity source, BooleanSupplier stillThere, Runnable then) {
    core.replication()
        .adopt(
            generations,
            source,
            () -> {
              on |= stillThere.getAsBoolean();
              then.run();
            });
  }

  /** The source is no longer primary and names this copy the newest. */
  void handedOver(Runnable then) {
    states.update(state -> on ? state.withStanding(state.standing().asNewest()) : state, then);
  }

  /** A source goes on without this copy, if it is the one that this copy follows. */
  void cutOff(boolean followed) {
    if (on && followed) {
      states.update(state -> state.withStanding(state.standing().asOutdated()), () -> {});
    }
  }

  /** The source is lost. */
  void left() {
    if (on) {
      on = false;
      long now = effects.wallClockMs();
      states.update(state -> state.withStanding(state.standing().leftAt(now)), () -> {});
    }
  }
}
