package io.mgtm.group.core;

/** What a member is sure to have after its last start. */
public enum Standing {
  /** Everything that it ever acknowledged. */
  INTACT,
  /** At least what it acknowledged as forced: its machine may have lost the rest. */
  FORCED_ONLY
}
