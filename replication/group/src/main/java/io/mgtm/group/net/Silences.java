package io.mgtm.group.net;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jgroups.Address;

/**
 * Finds who says nothing for half of the time in which it is suspected. JGroups has each process of
 * the view say something five times in that. One thread.
 */
final class Silences {
  /** In the time in which a silent process is suspected. */
  static final int LOOKS = 6;

  private static final int SILENT_LOOKS = LOOKS / 2;

  /** At how many looks in a row nothing had come. */
  private final Map<Address, Integer> silent = new HashMap<>();

  /**
   * Looks once.
   *
   * @param view the processes that are to say something
   * @param spoke those that have since the last look
   * @return those that have not for so many looks, each once in as many
   */
  Set<Address> look(Set<Address> view, Set<Address> spoke) {
    silent.keySet().retainAll(view);
    Set<Address> found = new HashSet<>();
    for (Address process : view) {
      int looks = spoke.contains(process) ? 0 : silent.getOrDefault(process, 0) + 1;
      if (looks == SILENT_LOOKS) {
        found.add(process);
      }
      silent.put(process, looks % SILENT_LOOKS);
    }
    return found;
  }
}
