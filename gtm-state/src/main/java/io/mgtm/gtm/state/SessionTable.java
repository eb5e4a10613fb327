package io.mgtm.gtm.state;

import io.mgtm.gtm.command.NodeType;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.agrona.collections.Long2ObjectHashMap;

/** Who is connected: clients of this server itself, and sessions of gateways. */
final class SessionTable {
  /** What a client said of itself. */
  record Session(long id, String nodeName, NodeType nodeType, boolean postmaster) {}

  private final Long2ObjectHashMap<Session> byId = new Long2ObjectHashMap<>();
  private final Long2ObjectHashMap<GatewaySession> gateways = new Long2ObjectHashMap<>();

  /** As it is now. */
  SessionTable picture() {
    SessionTable picture = new SessionTable();
    byId.values().forEach(picture::open);
    gateways.values().forEach(gateway -> picture.open(gateway.picture()));
    return picture;
  }

  void open(Session session) {
    byId.put(session.id(), session);
  }

  void open(GatewaySession session) {
    gateways.put(session.id(), session);
  }

  /** Forgets a session; false when there is none. */
  boolean close(long id) {
    boolean direct = byId.remove(id) != null;
    return gateways.remove(id) != null || direct;
  }

  boolean contains(long id) {
    return byId.containsKey(id) || gateways.containsKey(id);
  }

  /** A gateway's session, or null. */
  GatewaySession gateway(long id) {
    return gateways.get(id);
  }

  int count() {
    return byId.size() + gateways.size();
  }

  Collection<Session> all() {
    return byId.values();
  }

  /** The sessions of gateways, by id. */
  List<GatewaySession> gateways() {
    return gateways.values().stream().sorted(Comparator.comparingLong(GatewaySession::id)).toList();
  }

  void clear() {
    byId.clear();
    gateways.clear();
  }
}
