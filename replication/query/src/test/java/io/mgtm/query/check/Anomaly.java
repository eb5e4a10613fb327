package io.mgtm.query.check;

/**
 * What one server alone, with every transaction run by itself, would not have answered.
 *
 * @param forbidden whether a promise is broken by it
 * @param what the transactions and lists, for who looks into it
 */
public record Anomaly(Kind kind, boolean forbidden, String what) {
  /**
   * The kinds; those that begin with G are Adya's, as Elle has them (A. Adya, Weak Consistency,
   * 1999; P. Alvaro, K. Kingsbury, Elle, VLDB 2020).
   */
  public enum Kind {
    /** An append that was acknowledged is in no list in the end. */
    LOST_APPEND,
    /** An element is in a list more than once. */
    DUPLICATE_APPEND,
    /** An element that nobody has appended to that list. */
    UNKNOWN_ELEMENT,
    /** Two lists of one key of which none is the beginning of the other. */
    INCOMPATIBLE_ORDER,
    /** A transaction does not see what it wrote itself, or reads otherwise by the same snapshot. */
    INTERNAL,
    /** A read does not see what was acknowledged before it began. */
    STALE_READ,
    /** An append stands before one that was acknowledged before it began. */
    LATE_APPEND,
    /** Writes of transactions are in one order here and in another there. */
    G0,
    /** An append of a transaction that was undone is seen. */
    G1A,
    /** A list is seen as it was amid a transaction. */
    G1B,
    /** Transactions see each other's writes in a circle. */
    G1C,
    /** A circle with one read of what was overwritten since: no snapshot, or a lost update. */
    G_SINGLE,
    /** One with several such reads, none right after another: snapshots in different orders. */
    G_NONADJACENT,
    /** One with several such reads of which two follow each other, as in a write skew. */
    G2
  }
}
