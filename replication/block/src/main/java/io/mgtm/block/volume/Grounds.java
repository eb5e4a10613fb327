package io.mgtm.block.volume;

/** On what grounds a copy is to become primary. */
public enum Grounds {
  /** The copies say which one is the newest. */
  TESTIMONY,
  /**
   * A cluster vouches for it: it noted of every copy that was left behind that it was, before
   * anything was answered without it, and this is none of them.
   */
  VOUCHED,
  /** It is to be, whatever is lost. */
  FORCE
}
