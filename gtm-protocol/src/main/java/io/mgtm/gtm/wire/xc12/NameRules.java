package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.wire.WireException;

/** Which names are valid; what is not would break a client that prints or terminates it. */
final class NameRules {
  private NameRules() {}

  /** A name for people: not empty, no control characters. */
  static String requireName(String field, String name) throws WireException {
    if (name.isEmpty()) {
      throw new WireException("the " + field + " is empty");
    }
    return requireText(field, name);
  }

  /** Text that may be empty: no control characters. */
  static String requireText(String field, String text) throws WireException {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < ' ' || text.charAt(i) == 0x7f) {
        throw new WireException(
            "the " + field + " \"" + Names.printable(text) + "\" has a control character");
      }
    }
    return text;
  }

  /** A sequence key: bytes, and the C terminator at the end and nowhere else. */
  static String requireKey(String key) throws WireException {
    int nul = key.indexOf(0);
    if (key.length() < 2 || nul != key.length() - 1) {
      throw new WireException(
          "the sequence key \"" + Names.printable(key) + "\" is empty or not terminated");
    }
    return key;
  }

  /** A GID or node list: no C terminator within, which would cut it at every node. */
  static String requireNoTerminator(String field, String text) throws WireException {
    if (text.indexOf(0) >= 0) {
      throw new WireException("the " + field + " has a zero byte");
    }
    return text;
  }
}
