package io.mgtm.gtm.command;

/** How a transaction ends. The GTM treats both alike; the log and the metrics tell them apart. */
public enum Outcome {
  COMMIT(0),
  ROLLBACK(1);

  private final int code;

  Outcome(int code) {
    this.code = code;
  }

  /** The value in the log. */
  public int code() {
    return code;
  }

  /** The outcome of a log value, or null when there is none. */
  public static Outcome ofCode(int code) {
    return switch (code) {
      case 0 -> COMMIT;
      case 1 -> ROLLBACK;
      default -> null;
    };
  }
}
