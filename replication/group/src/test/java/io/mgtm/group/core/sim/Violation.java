package io.mgtm.group.core.sim;

/** An invariant does not hold. */
final class Violation extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Violation(String message) {
    super(message);
  }

  // The annotation that would check the format comes with a library that nothing else needs.
  @SuppressWarnings("AnnotateFormatMethod")
  static void check(boolean holds, String message, Object... arguments) {
    if (!holds) {
      throw new Violation(message.formatted(arguments));
    }
  }
}
