package io.mgtm.group.core;

/**
 * What members say while nobody leads: what is known, what is to be done, and what remains to be
 * done when that cannot be, which is another thing for each use of a group.
 */
public final class NoLeader {
  private static final String FACT = "No leader is elected: ";
  private static final String LAST_RESORT = "; if ";

  private NoLeader() {}

  /** Enough members answer, and may know less than was acknowledged. */
  static String unsure(String who, String self) {
    return FACT
        + who
        + ", and may know what the others do not. Start who is missing"
        + LAST_RESORT
        + "that is lost for good, let the group go on without it: ./mgtm gtm accept-loss --yes,"
        + " asked at this member, "
        + self;
  }

  /** The witness has a word of another member that this one does not reach. */
  static String refused(String witness, String silent) {
    return FACT
        + "the witness %s denies its vote, and %s does not answer: that leads, or went on alone with the witness, and has what this member lacks. Bring it back"
            .formatted(witness, silent);
  }

  /**
   * Too few members answer.
   *
   * @param lasting whether that has lasted: a start that is under way needs no last resort
   */
  static String tooFew(String who, boolean lasting) {
    return FACT
        + who
        + ", and without more of them nobody may lead. Start them"
        + (lasting
            ? LAST_RESORT
                + "they are lost for good, restore a backup into an empty folder of each member: that of"
                + " a folder that is left, ./mgtm gtm backup --from-data, or the newest"
            : "");
  }

  /**
   * The same warning with another last resort than a GTM's.
   *
   * @param warning any; others stay as they are
   * @param lastResort a clause, as {@code if they are lost, do this}
   */
  public static String withLastResort(String warning, String lastResort) {
    int at = warning.indexOf(LAST_RESORT);
    return warning.startsWith(FACT) && at > 0
        ? warning.substring(0, at) + "; " + lastResort
        : warning;
  }
}
