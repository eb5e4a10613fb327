package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.node.admin.AdminRole;

/**
 * What may be done over a link.
 *
 * @param sessions whether it may serve XC clients, as proxies and other members do
 * @param role what its operator may ask
 * @param shown what the role follows from, for who is refused
 */
record LinkRights(boolean sessions, AdminRole role, String shown) {
  /** Before a gateway has said who it is. */
  static final LinkRights NONE = new LinkRights(false, AdminRole.MONITOR, "nothing was shown yet");

  /** Why a request is not done; null when it is. */
  String whyNot(String verb) {
    AdminRole needed = AdminRole.of(verb);
    return role.includes(needed)
        ? null
        : "%s takes the role %s, and this link has the role %s: %s"
            .formatted(verb, needed, role, shown);
  }
}
