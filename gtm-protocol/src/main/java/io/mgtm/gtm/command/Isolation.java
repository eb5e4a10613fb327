package io.mgtm.gtm.command;

/** GTM_IsolationLevel. */
public enum Isolation {
  SERIALIZABLE(0),
  READ_COMMITTED(1);

  private final int code;

  Isolation(int code) {
    this.code = code;
  }

  /** The value on the wire and in the log. */
  public int code() {
    return code;
  }

  /** The level of a wire or log value, or null when there is none. */
  public static Isolation ofCode(int code) {
    return switch (code) {
      case 0 -> SERIALIZABLE;
      case 1 -> READ_COMMITTED;
      default -> null;
    };
  }
}
