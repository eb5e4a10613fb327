package io.mgtm.ha.kit;

/** A kit could not do what it was asked to; the message is a sentence for an operator. */
public final class KitException extends Exception {
  private static final long serialVersionUID = 1L;

  public KitException(String message) {
    super(message);
  }

  public KitException(String message, Throwable cause) {
    super(message, cause);
  }
}
