package io.mgtm.gtm.front;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.link.Standing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** One node: how it stands, and the links that fronts have to it. */
final class SimNode {
  private final String name;
  private final SimGroup group;
  private final List<SimLink> links = new ArrayList<>();
  private final Map<Long, SimLink> attached = new HashMap<>();
  private boolean leading;
  private long term;

  SimNode(String name, SimGroup group) {
    this.name = name;
    this.group = group;
  }

  String name() {
    return name;
  }

  boolean leading() {
    return leading;
  }

  void lead(long inTerm) {
    attached.clear();
    leading = true;
    term = inTerm;
    tellStanding();
  }

  void stepDown() {
    attached.clear();
    leading = false;
    tellStanding();
  }

  void stepDownBelow(long known) {
    if (leading && term < known) {
      stepDown();
    }
  }

  private Standing standing() {
    SimNode leader = group.leader();
    String leaderName = leader == null ? "" : leader.name;
    return new Standing(leading, term, name, leaderName, leaderName);
  }

  private void tellStanding() {
    for (SimLink link : links) {
      link.nodeTells(standing());
    }
  }

  void opened(SimLink link) {
    links.add(link);
    link.nodeTells(standing());
  }

  void closed(SimLink link) {
    links.remove(link);
    attached.values().removeIf(its -> its == link);
  }

  private boolean reallyLeads() {
    return leading && group.leader() == this;
  }

  void attach(SimLink link, long session, boolean fresh, boolean moody) {
    if (!leading) {
      link.nodeRefuses(session, RefusalCode.NOT_LEADING);
    } else if (!reallyLeads()) {
      return; // It asks the others, and no answer will come.
    } else if (moody) {
      link.nodeRefuses(session, RefusalCode.LIMITS);
    } else if (group.knows(session) || fresh) {
      if (!group.knows(session)) {
        group.open(session);
      }
      attached.put(session, link);
      link.nodeAttaches(session, group.last(session));
    } else {
      link.nodeRefuses(session, RefusalCode.SESSION_LOST);
    }
  }

  void commands(SimLink link, long session, long acked, long first, List<Command> commands) {
    if (!leading) {
      link.nodeRefuses(session, RefusalCode.NOT_LEADING);
      link.nodeTells(standing());
      return;
    }
    if (!reallyLeads()) {
      return;
    }
    if (attached.get(session) != link || !group.knows(session)) {
      // They were sent to it before it lost the leadership and got it back, for example.
      link.nodeRefuses(session, RefusalCode.NOT_LEADING);
      link.nodeTells(standing());
      return;
    }
    for (int i = 0; i < commands.size(); i++) {
      group.execute(link, session, first + i, acked, commands.get(i));
    }
  }

  void close(long session) {
    if (reallyLeads()) {
      group.close(session);
    }
  }

  /** Breaks every link, as a death does. */
  void breakLinks() {
    for (SimLink link : List.copyOf(links)) {
      link.breakNow("it died");
    }
  }

  List<SimLink> links() {
    return links;
  }
}
