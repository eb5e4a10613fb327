package io.mgtm.query.session;

import io.mgtm.query.connection.Futures;
import io.mgtm.query.fleet.Node;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;

/** The sessions that are open, by the number that their clients know them by. Any thread. */
public final class Sessions {
  private final ConcurrentHashMap<Integer, OpenSession> open = new ConcurrentHashMap<>();

  /** The names of the members that have forwarded their clients. */
  private final ConcurrentHashMap<OpenSession, String> forwarders = new ConcurrentHashMap<>();

  private final SecureRandom random = new SecureRandom();

  /** Makes a session under a number that no other has. */
  public <S extends OpenSession> S add(IntFunction<S> maker) {
    while (true) {
      int pid = 1 + random.nextInt(Integer.MAX_VALUE - 1);
      S session = maker.apply(pid);
      if (open.putIfAbsent(pid, session) == null) {
        return session;
      }
    }
  }

  /**
   * The same, on the session's loop.
   *
   * @param forwarder the member that has forwarded its client, or null
   */
  public <S extends OpenSession> S add(String forwarder, IntFunction<S> maker) {
    S session = add(maker);
    if (forwarder != null) {
      forwarders.put(session, forwarder);
    }
    return session;
  }

  /** Ends those that a member has forwarded as soon as nothing runs in them. */
  public void drainFrom(String forwarder) {
    forwarders.forEach(
        (session, by) -> {
          if (by.equals(forwarder)) {
            session.drain();
          }
        });
  }

  int secret() {
    return random.nextInt();
  }

  /** The session that a request to cancel means, or null. */
  public OpenSession find(int pid, int secret) {
    OpenSession session = open.get(pid);
    return session != null && session.secret() == secret ? session : null;
  }

  void remove(OpenSession session) {
    forwarders.remove(session);
    if (open.remove(session.pid(), session) && open.isEmpty()) {
      synchronized (this) {
        notifyAll();
      }
    }
  }

  /** Whether the last one ended within that time; false as well when the thread is interrupted. */
  public synchronized boolean awaitNone(int withinMs) {
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

  /** Has all connect to a server that is about to be in; completes when they have, or cannot. */
  public CompletableFuture<Void> serverComes(Node node) {
    return Futures.all(all().stream().map(session -> session.serverComes(node)));
  }

  /** Completes when in no other session runs what ran there when it was called. */
  CompletableFuture<Void> runningEnds(String database, OpenSession but) {
    return Futures.all(
        all().stream()
            .filter(session -> session != but)
            .map(session -> session.runningEnds(database)));
  }

  /** Completes when other servers have done what they were given of others' transactions. */
  CompletableFuture<Void> othersFollow(OpenSession but) {
    return Futures.all(
        all().stream().filter(session -> session != but).map(OpenSession::othersFollow));
  }

  /** A server was put out, or does not come in. */
  public void serverOut(Node node) {
    all().forEach(session -> session.serverOut(node));
  }

  /** Those that are open. */
  public Collection<OpenSession> all() {
    return List.copyOf(open.values());
  }

  /** How many are open. */
  public int count() {
    return open.size();
  }
}
