package io.mgtm.group.raft;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import org.jgroups.Address;
import org.jgroups.View;

/**
 * The members of a view, and whether each said in it that it may vote. Any thread; a view and what
 * is said in it may become known in either order.
 */
final class RaftMeeting {
  private final Map<Address, Said> said = new ConcurrentHashMap<>();
  private volatile View view;

  /**
   * What a member said of itself in a view.
   *
   * @param atFirst whether it might vote when the view began
   */
  private record Said(long view, boolean atFirst, boolean settled) {
    /** With what it says next. */
    Said then(Said next) {
      return next.view == view ? new Said(view, atFirst, next.settled) : next;
    }
  }

  void begins(View now) {
    view = now;
    said.keySet().retainAll(now.getMembers());
  }

  /** The number of the view; below 0 before the first. */
  long view() {
    View now = view;
    return now == null ? -1 : now.getViewId().getId();
  }

  void said(Address member, long in, boolean settled) {
    said.merge(member, new Said(in, settled, settled), Said::then);
  }

  /** The members that are here, this one among them. */
  List<Address> addresses() {
    View now = view;
    return now == null ? List.of() : now.getMembers();
  }

  /** Their names. */
  List<String> names() {
    return addresses().stream()
        .map(RaftChannel::nameOf)
        .filter(Objects::nonNull)
        .distinct()
        .sorted()
        .toList();
  }

  /** Those that have said last that they may not vote. */
  List<Address> unsettled() {
    return saying(what -> !what.settled());
  }

  /**
   * Whether all of a group are here, and each has said at the view's beginning that it may not
   * vote: so nobody had promised anything when all met. One that has settled since then, for this
   * reason, takes nothing from the others, who hear of the meeting later.
   */
  boolean isFirst(List<String> founders) {
    return names().containsAll(founders)
        && saying(what -> !what.atFirst()).containsAll(addresses());
  }

  private List<Address> saying(Predicate<Said> what) {
    long now = view();
    return addresses().stream()
        .filter(
            member -> {
              Said of = said.get(member);
              return of != null && of.view() == now && what.test(of);
            })
        .toList();
  }
}
