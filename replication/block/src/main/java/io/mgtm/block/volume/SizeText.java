package io.mgtm.block.volume;

/** Numbers of bytes as people read them, and as the options take them. */
public final class SizeText {
  private static final String UNITS = "KMGT";

  private SizeText() {}

  /** {@code 16M}; what is not a whole number of a unit in bytes, such as {@code 1000 bytes}. */
  public static String of(long bytes) {
    int unit = 0;
    long whole = bytes;
    while (whole >= 1024 && whole % 1024 == 0 && unit < UNITS.length()) {
      whole /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " bytes" : whole + UNITS.substring(unit - 1, unit);
  }

  /** The same as an option takes it. */
  static String asOption(long bytes) {
    String text = of(bytes);
    return text.endsWith(" bytes") ? Long.toString(bytes) : text;
  }
}
