package io.mgtm.gtm.state;

import io.mgtm.gtm.command.NodeType;
import java.util.Collection;
import org.agrona.collections.Long2ObjectHashMap;

/** Who is connected. */
final class SessionTable {
  /** What a client said of itself. */
  record Session(long id, String nodeName, NodeType nodeType, boolean postmaster) {}

  private final Long2ObjectHashMap<Session> byId = new Long2ObjectHashMap<>();

  void open(Session session) {
    byId.put(session.id(), session);
  }

  /** Forgets a session; null when there is none. */
  Session close(long id) {
    return byId.remove(id);
  }

  boolean contains(long id) {
    return byId.containsKey(id);
  }

  int count() {
    return byId.size();
  }

  Collection<Session> all() {
    return byId.values();
  }

  void clear() {
    byId.clear();
  }
}
