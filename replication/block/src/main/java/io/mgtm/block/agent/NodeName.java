package io.mgtm.block.agent;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.Locale;

/** What a new copy calls itself: unlike all others, and telling people where it was made. */
final class NodeName {
  private static final int HOST_LENGTH_MAX = 24;

  private NodeName() {}

  static String make() {
    String host;
    try {
      host = InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      host = "";
    }
    return of(host, new SecureRandom().nextLong());
  }

  /** The host's first name, and {@code random}. */
  static String of(String host, long random) {
    String first = host.split("\\.", 2)[0].toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "");
    String here = first.isEmpty() || first.matches("[0-9-]*") ? "node" : first;
    String shown = here.substring(0, Math.min(here.length(), HOST_LENGTH_MAX));
    return String.format(Locale.ROOT, "%s-%016x", shown, random);
  }
}
