package io.mgtm.jni;

/**
 * Whether a native part can be used in this process, and why not. Immutable.
 *
 * @param usable whether it can be used
 * @param reason empty when usable; otherwise one sentence that says what is missing and what to do
 */
public record Availability(boolean usable, String reason) {

  private static final Availability USABLE = new Availability(true, "");

  /** Refuses a reason without a cause and a cause without a reason. */
  public Availability {
    if (usable != reason.isEmpty()) {
      throw new IllegalArgumentException("a reason is given exactly when something is not usable");
    }
  }

  /** It can be used. */
  public static Availability yes() {
    return USABLE;
  }

  /** It cannot be used, for this reason. */
  public static Availability no(String reason) {
    return new Availability(false, reason);
  }
}
