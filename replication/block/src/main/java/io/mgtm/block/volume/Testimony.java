package io.mgtm.block.volume;

/**
 * What another copy answered when it was asked before a promotion.
 *
 * @param peer the link's name
 * @param identity what it told of itself, or null when it could not be asked
 * @param handsOver whether it was the newest copy and named this one instead
 * @param failure why it could not be asked, or an empty string
 */
public record Testimony(String peer, Identity identity, boolean handsOver, String failure) {
  /** A copy that could not be asked. */
  public static Testimony missing(String peer, String failure) {
    return new Testimony(peer, null, false, failure);
  }

  /** Whether the copy answered. */
  public boolean reached() {
    return identity != null;
  }
}
