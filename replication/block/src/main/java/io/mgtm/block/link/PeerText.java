package io.mgtm.block.link;

/** Text that a peer sent, before it is shown or logged. */
public final class PeerText {
  /** The longest text that is shown. */
  public static final int LENGTH_MAX = 1000;

  private PeerText() {}

  /**
   * {@code text} without control characters, which could forge lines of a log, and not too long.
   */
  public static String of(String text) {
    StringBuilder clean = new StringBuilder();
    text.codePoints().limit(LENGTH_MAX).forEach(c -> clean.appendCodePoint(isPlain(c) ? c : '?'));
    return text.codePointCount(0, text.length()) > LENGTH_MAX ? clean + "…" : clean.toString();
  }

  private static boolean isPlain(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
