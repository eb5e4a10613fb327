package io.mgtm.gtm.state;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Where gateways reach the members of the group: each leader tells it of itself. */
final class MemberTable {
  private final SortedMap<String, String> addresses = new TreeMap<>();

  /** As it is now. */
  MemberTable picture() {
    MemberTable picture = new MemberTable();
    picture.addresses.putAll(addresses);
    return picture;
  }

  /** An empty address forgets the member; false when nothing changes. */
  boolean announce(String member, String address) {
    return address.isEmpty()
        ? addresses.remove(member) != null
        : !address.equals(addresses.put(member, address));
  }

  /** {@code host:port} by member. */
  SortedMap<String, String> addresses() {
    return Collections.unmodifiableSortedMap(addresses);
  }
}
