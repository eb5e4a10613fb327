package io.mgtm.bench.tpcc;

import java.util.List;

/** The last names of clause 4.3.2.3: a syllable for each of three digits. */
final class LastNames {
  static final int COUNT = 1_000;

  private static final List<String> SYLLABLES =
      List.of("BAR", "OUGHT", "ABLE", "PRI", "PRES", "ESE", "ANTI", "CALLY", "ATION", "EING");

  private LastNames() {}

  /**
   * One name.
   *
   * @param number 0 to 999
   */
  static String of(int number) {
    if (number < 0 || number >= COUNT) {
      throw new IllegalArgumentException("no last name has the number " + number);
    }
    return SYLLABLES.get(number / 100)
        + SYLLABLES.get(number / 10 % 10)
        + SYLLABLES.get(number % 10);
  }
}
