package io.mgtm.block.intent;

/**
 * One opening of a volume's metadata by an agent.
 *
 * @param count which one it was, from 1 on; 0 when none is known
 * @param id a random number, so that two that were opened from one copy are told apart
 */
public record Opening(long count, long id) {
  /** From before openings were counted. */
  public static final Opening NONE = new Opening(0, 0);

  private static final long COUNT_MAX = 1L << 48;

  /** Refuses what no side can have come to. */
  public Opening {
    if (count < 0 || count > COUNT_MAX) {
      throw new IllegalArgumentException("no metadata were opened " + count + " times");
    }
  }
}
