package io.mgtm.gtm.server;

/** Something that must hold does not. */
final class LazySimViolation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  LazySimViolation(String message) {
    super(message);
  }

  LazySimViolation(String message, Throwable cause) {
    super(message, cause);
  }
}
