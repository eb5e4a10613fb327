package io.mgtm.gtm.command;

/** The bytes are no command or reply that this version knows. */
public final class UnknownCommandException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnknownCommandException(String message) {
    super(message);
  }
}
