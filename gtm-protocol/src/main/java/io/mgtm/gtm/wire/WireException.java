package io.mgtm.gtm.wire;

/**
 * The peer broke the protocol. The message says what was wrong with which frame; the connection is
 * told, and closed.
 */
public final class WireException extends Exception {
  private static final long serialVersionUID = 1L;

  private final String hint;

  public WireException(String message) {
    this(message, "");
  }

  /**
   * Makes an error with advice.
   *
   * @param hint what to do, or empty
   */
  public WireException(String message, String hint) {
    super(message);
    this.hint = hint;
  }

  public String hint() {
    return hint;
  }
}
