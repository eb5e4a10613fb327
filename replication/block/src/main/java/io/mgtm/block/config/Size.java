package io.mgtm.block.config;

import java.util.Locale;

/**
 * A size as users write it: {@code 512}, {@code 64K}, {@code 10M}, {@code 1G}, {@code 2T}, in
 * powers of 1024.
 */
public record Size(long bytes) {
  /**
   * Parses {@code text}.
   *
   * @throws IllegalArgumentException that says what is allowed
   */
  public static Size parse(String text) {
    String upper = text.strip().toUpperCase(Locale.ROOT);
    int unit = upper.isEmpty() ? -1 : "KMGT".indexOf(upper.charAt(upper.length() - 1));
    String digits = unit < 0 ? upper : upper.substring(0, upper.length() - 1);
    try {
      long value = Long.parseLong(digits);
      if (value < 0) {
        throw new NumberFormatException();
      }
      return new Size(Math.multiplyExact(value, 1L << (10 * (unit + 1))));
    } catch (NumberFormatException | ArithmeticException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a size such as 512, 64K, 10M or 1G", e);
    }
  }
}
