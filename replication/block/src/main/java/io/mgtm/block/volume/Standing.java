package io.mgtm.block.volume;

/**
 * How a copy stands among the copies of its volume, as far as it knows; survives a crash.
 *
 * @param volumeId the volume's random id, the same on every copy; an empty string on a copy that
 *     never had data
 * @param newest whether no copy is newer: this one was primary last, or the last primary handed
 *     over to it. Handed on, never copied, so that at most one copy has it until somebody is
 *     promoted by force
 * @param outdated whether a newer copy is known to exist
 * @param asOfMs until when this copy surely followed its source, in ms since 1970; 0 when unknown
 */
public record Standing(String volumeId, boolean newest, boolean outdated, long asOfMs) {
  /** The longest id. */
  public static final int ID_LENGTH_MAX = 64;

  /** Refuses ids that are no ids. */
  public Standing {
    if (volumeId.length() > ID_LENGTH_MAX || !volumeId.matches("[0-9a-z-]*")) {
      throw new IllegalArgumentException("a volume's id has up to 64 digits, letters and dashes");
    }
  }

  /** The standing of a copy that was made just now. */
  static Standing fresh(Role role) {
    return new Standing("", role == Role.PRIMARY, false, 0);
  }

  /** This copy belongs to the volume {@code id} unless it belongs to one already. */
  public Standing orOf(String id) {
    return volumeId.isEmpty() ? new Standing(id, newest, outdated, asOfMs) : this;
  }

  /** No copy is newer. */
  Standing asNewest() {
    return new Standing(volumeId, true, false, asOfMs);
  }

  /** Another copy may be newer, or become so. */
  Standing asHandedOver() {
    return new Standing(volumeId, false, outdated, asOfMs);
  }

  /** A newer copy exists. */
  Standing asOutdated() {
    return new Standing(volumeId, false, true, asOfMs);
  }

  /** This copy equals its source. */
  Standing following(String id, long nowMs) {
    return new Standing(id.isEmpty() ? volumeId : id, false, false, nowMs);
  }

  /** The source was lost. */
  Standing leftAt(long nowMs) {
    return new Standing(volumeId, newest, outdated, nowMs);
  }
}
