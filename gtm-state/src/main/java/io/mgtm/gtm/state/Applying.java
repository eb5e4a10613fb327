package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Effect;

/** What a command that is applied sees beside the state, and what it has done to the state. */
final class Applying {
  /** What is admitted. */
  Limits limits = Limits.NONE;

  /** The number of the log's entry that it stands in, among those of this process. */
  long entry;

  /** The time of that entry: µs since 2000-01-01. */
  long nowMicros;

  /** The strongest effect so far. */
  Effect effect = Effect.NONE;

  void did(Effect more) {
    effect = effect.and(more);
  }
}
