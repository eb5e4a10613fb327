package io.mgtm.query.server;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/** The sessions that are open, by the number that their clients know them by. Any thread. */
final class Sessions {
  private final ConcurrentHashMap<Integer, Session> open = new ConcurrentHashMap<>();
  private final SecureRandom random = new SecureRandom();

  /** Makes a session under a number that no other has. */
  Session add(IntFunction<Session> maker) {
    while (true) {
      int pid = 1 + random.nextInt(Integer.MAX_VALUE - 1);
      Session session = maker.apply(pid);
      if (open.putIfAbsent(pid, session) == null) {
        return session;
      }
    }
  }

  int secret() {
    return random.nextInt();
  }

  /** The session that a request to cancel means, or null. */
  Session find(int pid, int secret) {
    Session session = open.get(pid);
    return session != null && session.secret() == secret ? session : null;
  }

  void remove(Session session) {
    open.remove(session.pid(), session);
  }

  Collection<Session> all() {
    return List.copyOf(open.values());
  }

  int count() {
    return open.size();
  }
}
