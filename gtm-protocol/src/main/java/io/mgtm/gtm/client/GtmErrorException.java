package io.mgtm.gtm.client;

import java.io.IOException;

/**
 * The GTM answered with an error. Unless it is {@link #fatal}, the connection goes on. The message
 * is the server's sentence, and its advice when there is any.
 */
public final class GtmErrorException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean fatal;
  private final String hint;

  GtmErrorException(boolean fatal, String message, String hint) {
    super(hint.isEmpty() ? message : message + "; " + hint);
    this.fatal = fatal;
    this.hint = hint;
  }

  /** Whether the server has closed the connection. */
  public boolean fatal() {
    return fatal;
  }

  /** What to do, or empty. */
  public String hint() {
    return hint;
  }
}
