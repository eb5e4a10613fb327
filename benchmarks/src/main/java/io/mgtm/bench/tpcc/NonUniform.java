package io.mgtm.bench.tpcc;

/**
 * The non-uniform distribution of clause 2.1.6, over {@code low} to {@code high}.
 *
 * @param a its constant A, one less than a power of two
 * @param c its constant C, 0 to {@code a}
 */
record NonUniform(int a, int low, int high, int c) {
  NonUniform {
    if (a < 1 || Integer.bitCount(a + 1) != 1 || low > high || c < 0 || c > a) {
      throw new IllegalArgumentException("no distribution has A %d and C %d".formatted(a, c));
    }
  }

  /**
   * A distribution as steep as one of the specification's over a range of another size.
   *
   * @param part how many times A goes into the range
   * @param c for the specification's range; its low bits for a smaller one
   */
  static NonUniform over(int low, int high, int part, int c) {
    int a = Math.max(2, Integer.highestOneBit((high - low + 1) / part)) - 1;
    return new NonUniform(a, low, high, c & a);
  }

  /**
   * The value of two uniform draws.
   *
   * @param first of 0 to {@code a}
   * @param second of {@code low} to {@code high}
   */
  int value(int first, int second) {
    return ((first | second) + c) % (high - low + 1) + low;
  }
}
