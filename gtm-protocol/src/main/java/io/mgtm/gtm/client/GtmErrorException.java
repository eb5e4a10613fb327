package io.mgtm.gtm.client;

import java.io.IOException;

/**
 * The GTM answered with an error. Unless it is {@link #fatal}, the connection goes on. The message
 * is the server's sentence, and its advice when there is any.
 */
public final class GtmErrorException extends IOException {
  private static final long serialVersionUID = 1L;

  private final boolean fatal;

  GtmErrorException(boolean fatal, String message, String hint) {
    super(hint.isEmpty() ? message : message + "; " + hint);
    this.fatal = fatal;
  }

  /** Whether the server has closed the connection. */
  public boolean fatal() {
    return fatal;
  }
}
