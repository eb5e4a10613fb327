package io.mgtm.bench.failover;

/** What is done to a leader. */
public enum FaultKind {
  /** Nothing: what the machine itself makes clients wait, in the rest before each fault. */
  NONE("nothing"),
  /** Its process is killed, and started again. */
  KILL("leader killed"),
  /** Its process is stopped by SIGSTOP, and goes on later. */
  HANG("leader stopped"),
  /** It is cut off from the other members and the proxy; takes {@link ProcessNetwork}. */
  CUT("leader cut off"),
  /** It hands the leadership to another member. */
  TRANSFER("leadership transferred"),
  /** All members are ended in order and started again, one after the other. */
  RESTART("all restarted in turn");

  private final String what;

  FaultKind(String what) {
    this.what = what;
  }

  /** For people. */
  public String what() {
    return what;
  }
}
