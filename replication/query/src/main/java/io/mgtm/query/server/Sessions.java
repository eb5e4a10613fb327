package io.mgtm.query.server;

import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** The sessions that are open, by the number that their clients know them by. Any thread. */
final class Sessions {
  private final ConcurrentHashMap<Integer, OpenSession> open = new ConcurrentHashMap<>();
  private final SecureRandom random = new SecureRandom();

  /** Makes a session under a number that no other has. */
  <S extends OpenSession> S add(IntFunction<S> maker) {
    while (true) {
      int pid = 1 + random.nextInt(Integer.MAX_VALUE - 1);
      S session = maker.apply(pid);
      if (open.putIfAbsent(pid, session) == null) {
        return session;
      }
    }
  }

  int secret() {
    return random.nextInt();
  }

  /** The session that a request to cancel means, or null. */
  OpenSession find(int pid, int secret) {
    OpenSession session = open.get(pid);
    return session != null && session.secret() == secret ? session : null;
  }

  void remove(OpenSession session) {
    if (open.remove(session.pid(), session) && open.isEmpty()) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Whether the last one ended within that time; false as well when the thread is interrupted. */
  synchronized boolean awaitNone(int withinMs) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(withinMs);
    while (!open.isEmpty()) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
      if (leftMs <= 0) {
        return false;
      }
      try {
        wait(leftMs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return false;
      }
    }
    return true;
  }

  Collection<OpenSession> all() {
    return List.copyOf(open.values());
  }

  int count() {
    return open.size();
  }
}
