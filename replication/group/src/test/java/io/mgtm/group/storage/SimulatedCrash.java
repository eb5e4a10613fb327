package io.mgtm.group.storage;

/**
 * The process or the machine died at this moment; no code may catch it and go on. What a member
 * makes of any error is passed on by those whom it tells.
 */
public final class SimulatedCrash extends Error {
  private static final long serialVersionUID = 1L;

  public SimulatedCrash() {
    super("the process died here", null, false, false);
  }

  /** Throws a failure, or what it was made of, when that is this or a broken assertion. */
  public static void passOn(Throwable failure) {
    for (Throwable one : new Throwable[] {failure, failure.getCause()}) {
      if (one instanceof SimulatedCrash || one instanceof AssertionError) {
        throw (Error) one;
      }
    }
  }
}
