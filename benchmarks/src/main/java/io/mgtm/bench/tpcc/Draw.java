package io.mgtm.bench.tpcc;

import java.util.SplittableRandom;

/** Draws numbers and texts as clauses 2.1.6 and 4.3.2 say, from a seed. One thread. */
final class Draw {
  private static final String CHARACTERS =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  private static final String ORIGINAL = "ORIGINAL";
  private static final int DATA_MIN = 26;
  private static final int DATA_MAX = 50;

  private final SplittableRandom random;

  /**
   * The same seed and stream draw the same.
   *
   * @param stream tells those apart that have one seed: a warehouse, a connection
   */
  Draw(long seed, long stream) {
    random = new SplittableRandom(seed * 1_000_003 + stream);
  }

  /** Both bounds included. */
  int uniform(int low, int high) {
    return random.nextInt(low, high + 1);
  }

  int nonUniform(NonUniform range) {
    return range.value(uniform(0, range.a()), uniform(range.low(), range.high()));
  }

  /** Whether what happens so often in a hundred happens. */
  boolean percent(int chance) {
    return uniform(1, 100) <= chance;
  }

  /** Letters and digits. */
  String text(int lengthMin, int lengthMax) {
    int length = uniform(lengthMin, lengthMax);
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
    }
    return text.toString();
  }

  String digits(int length) {
    StringBuilder text = new StringBuilder(length);
    for (int i = 0; i < length; i++) {
      text.append((char) ('0' + random.nextInt(10)));
    }
    return text.toString();
  }

  /** Clause 4.3.2.7. */
  String zip() {
    return digits(4) + "11111";
  }

  /** Of an item or of stock; one in ten has {@code ORIGINAL} somewhere. */
  String data() {
    String data = text(DATA_MIN, DATA_MAX);
    if (!percent(10)) {
      return data;
    }
    int at = uniform(0, data.length() - ORIGINAL.length());
    return data.substring(0, at) + ORIGINAL + data.substring(at + ORIGINAL.length());
  }

  /** The numbers from 1 on, each once. */
  int[] permutation(int count) {
    int[] numbers = new int[count];
    for (int i = 0; i < count; i++) {
      int j = random.nextInt(i + 1);
      numbers[i] = numbers[j];
      numbers[j] = i + 1;
    }
    return numbers;
  }
}
