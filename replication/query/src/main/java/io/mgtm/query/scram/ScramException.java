package io.mgtm.query.scram;

/** The other end is not who it should be, or does not speak SCRAM; the message says which. */
public final class ScramException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why it failed. */
  public enum Reason {
    /** What was sent breaks the protocol. */
    MALFORMED,
    /** The proof or the signature is wrong. */
    REFUSED
  }

  private final Reason reason;

  public ScramException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  public Reason reason() {
    return reason;
  }
}
