package io.mgtm.gtm.node.admin;

import java.util.Locale;
import java.util.Map;

/** What an operator may ask of a node; each includes those before it. */
public enum AdminRole {
  /** How the node and its group are. */
  MONITOR,
  /** What a group is built to bear: another leader, a backup. */
  OPERATE,
  /** Who the members are, and what may be lost. */
  ADMINISTER;

  private static final Map<String, AdminRole> NEEDED =
      Map.of(
          "status", MONITOR,
          "counts", MONITOR,
          "transfer", OPERATE,
          "backup", OPERATE,
          "add", ADMINISTER,
          "remove", ADMINISTER,
          "durability", ADMINISTER,
          "accept-loss", ADMINISTER);

  /** The role that a request takes; the highest for one that is not known. */
  public static AdminRole of(String verb) {
    return NEEDED.getOrDefault(verb, ADMINISTER);
  }

  public boolean includes(AdminRole other) {
    return compareTo(other) >= 0;
  }

  /** As in the names of configuration keys. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
