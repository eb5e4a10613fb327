package io.mgtm.group.storage;

import java.util.OptionalLong;

/** The names of the files in a member's folder. */
final class FileNames {
  /** Ends the name of a file that is being written; recovery removes such files. */
  static final String UNFINISHED = ".tmp";

  /** As many digits as the largest number has. */
  static final int DIGITS = 19;

  private static final String SEGMENT_PREFIX = "log-";
  private static final String SEGMENT_SUFFIX = ".seg";

  private FileNames() {}

  static String segment(long sequence) {
    return SEGMENT_PREFIX + digits(sequence) + SEGMENT_SUFFIX;
  }

  /** A segment's number by its name; empty when the name is not a segment's. */
  static OptionalLong segmentSequence(String name) {
    if (!name.startsWith(SEGMENT_PREFIX) || !name.endsWith(SEGMENT_SUFFIX)) {
      return OptionalLong.empty();
    }
    return number(name.substring(SEGMENT_PREFIX.length(), name.length() - SEGMENT_SUFFIX.length()));
  }

  /** A number with as many digits as the largest has, so that names sort as numbers do. */
  static String digits(long number) {
    String plain = Long.toString(number);
    return "0".repeat(DIGITS - plain.length()) + plain;
  }

  static OptionalLong number(String digits) {
    if (digits.length() != DIGITS || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return OptionalLong.empty();
    }
    try {
      return OptionalLong.of(Long.parseLong(digits));
    } catch (NumberFormatException tooLarge) {
      return OptionalLong.empty();
    }
  }
}
