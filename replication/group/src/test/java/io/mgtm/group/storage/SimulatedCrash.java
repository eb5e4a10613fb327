package io.mgtm.group.storage;

/** The process or the machine died at this moment; no code may catch it and go on. */
public final class SimulatedCrash extends Error {
  private static final long serialVersionUID = 1L;

  public SimulatedCrash() {
    super("the process died here", null, false, false);
  }
}
