package io.mgtm.ha.model;

import java.util.Locale;

/** What somebody may ask of a controller; each includes those before it. */
public enum Role {
  /** How the cluster is, and why. */
  GUEST,
  /** Where services run, maintenance, and the answers that a failover waits for. */
  OPERATOR,
  /** What the cluster is, and what may be lost. */
  ADMINISTRATOR;

  public boolean includes(Role other) {
    return compareTo(other) >= 0;
  }

  /** As in files. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
