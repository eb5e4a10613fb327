package io.mgtm.group.net;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jgroups.Address;

/**
 * Which process of a view has which member's name. A name belongs to the process that has it, as
 * long as that is in the view: one that comes later with the same name, at another address, is not
 * heard. Only at the same address must the former process be gone.
 *
 * @param byName the processes that are heard, but this one
 * @param rivals a sentence for an operator about each further process of a name
 * @param ownRival where another process of this one's name is; empty when none is there
 */
record NameHolders(Map<String, Address> byName, List<String> rivals, String ownRival) {
  static final NameHolders NONE = new NameHolders(Map.of(), List.of(), "");

  NameHolders {
    byName = Map.copyOf(byName);
    rivals = List.copyOf(rivals);
  }

  /**
   * Those of the next view.
   *
   * @param view in JGroups' order, who has been there longest first
   * @param self this process, in the view too
   */
  NameHolders in(List<Address> view, Address self) {
    String own = MemberAddress.nameOf(self);
    Map<String, Address> now = new HashMap<>();
    List<String> said = new ArrayList<>();
    String ofOwn = "";
    byName.forEach(
        (name, address) -> {
          if (view.contains(address)) {
            now.put(name, address);
          }
        });
    for (Address address : view) {
      String name = MemberAddress.nameOf(address);
      if (address.equals(self) || name.isEmpty()) {
        continue;
      }
      Address holder = name.equals(own) ? self : now.putIfAbsent(name, address);
      if (holder == null || holder.equals(address)) {
        continue;
      }
      if (!MemberAddress.isSamePlace(holder, address)) {
        said.add(name.equals(own) ? ofOwnName(self, address) : rival(name, holder, address));
        ofOwn = name.equals(own) ? MemberAddress.placeOf(address) : ofOwn;
      } else if (!name.equals(own)) {
        now.put(name, address);
      }
    }
    return new NameHolders(now, said, ofOwn);
  }

  /** Whether the view has these members and nobody else beside this process. */
  boolean areAll(List<String> names) {
    return rivals.isEmpty() && names.size() == byName.size() && byName.keySet().containsAll(names);
  }

  private static String ofOwnName(Address self, Address other) {
    return "Another process calls itself %s, at %s, while this one is at %s. The others hear only one of the two: stop the one that is wrong"
        .formatted(
            MemberAddress.nameOf(self), MemberAddress.placeOf(other), MemberAddress.placeOf(self));
  }

  private static String rival(String name, Address heard, Address other) {
    return "Two processes call themselves %s: the one at %s is heard, and the one at %s is not. Stop the one that is wrong"
        .formatted(name, MemberAddress.placeOf(heard), MemberAddress.placeOf(other));
  }
}
