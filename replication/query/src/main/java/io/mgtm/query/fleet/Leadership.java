package io.mgtm.query.fleet;

/**
 * Who leads a group of replicators. Immutable.
 *
 * @param leader empty when it is not known
 * @param address where clients reach it, or null when that is not known
 * @param key by which a member forwards clients to it; {@link ForwardKey#NONE} while it does not
 *     serve them
 */
public record Leadership(String leader, String address, ForwardKey key) {
  /** As long as nothing is known. */
  public static final Leadership NOBODY = new Leadership("", null, ForwardKey.NONE);

  /** Whether somebody leads that still takes the servers over, or is about to stop. */
  public boolean isChanging() {
    return !leader.isEmpty() && !isServed();
  }

  /** Whether clients are served there. */
  public boolean isServed() {
    return !key.equals(ForwardKey.NONE);
  }
}
