package io.mgtm.gtm.state;

import io.mgtm.gtm.command.NodeType;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;

/** Who is connected: clients of this server itself, and sessions of fronts. */
final class SessionTable {
  /** What a client said of itself. */
  record Session(long id, String nodeName, NodeType nodeType, boolean postmaster) {}

  private final Long2ObjectHashMap<Session> byId = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<FrontSession> fronts = new Long2ObjectHashMap<>();

  /** As it is now. */
  SessionTable picture() {
    SessionTable picture = new SessionTable();
    byId.values().forEach(picture::open);
    fronts.values().forEach(front -> picture.open(front.picture()));
    return picture;
  }

  void open(Session session) {
    byId.put(session.id(), session);
  }

  void open(FrontSession session) {
    fronts.put(session.id(), session);
  }

  /** Forgets a session; false when there is none. */
  boolean close(long id) {
    boolean direct = byId.remove(id) != null;
    return fronts.remove(id) != null || direct;
  }

  boolean contains(long id) {
    return byId.containsKey(id) || fronts.containsKey(id);
  }

  /** A front's session, or null. */
  FrontSession front(long id) {
    return fronts.get(id);
  }

  int count() {
    return byId.size() + fronts.size();
  }

  Collection<Session> all() {
    return byId.values();
  }

  /** The sessions of fronts, by id. */
  List<FrontSession> fronts() {
    return fronts.values().stream().sorted(Comparator.comparingLong(FrontSession::id)).toList();
  }

  void clear() {
    byId.clear();
    fronts.clear();
  }
}
