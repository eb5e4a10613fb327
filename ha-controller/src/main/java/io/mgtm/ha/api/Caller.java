package io.mgtm.ha.api;

import io.mgtm.ha.model.Role;

/**
 * Who asks a controller.
 *
 * @param name of an operator; without a token of its own it is what the operator's program said
 * @param role what may be asked
 * @param shown what the role follows from
 * @param from the machine's address
 */
record Caller(String name, Role role, String shown, String from) {

  /** As events and the log name it. */
  String by() {
    return "%s (%s by %s, from %s)".formatted(name, role, shown, from);
  }
}
