package io.mgtm.ha.api;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.util.component.AbstractLifeCycle;
import org.eclipse.jetty.util.thread.Scheduler;

/**
 * Closes connections on which no request comes to an end of its head in time: one that sends a byte
 * now and then is never idle, and would be kept for ever. A thread of Jetty's scheduler.
 */
final class RequestTime extends AbstractLifeCycle {
  private static final int SWEEPS = 4;

  private final Server server;
  private final long limitMs;
  private final Map<EndPoint, Seen> waiting = new HashMap<>();
  private volatile Scheduler.Task next;

  /** So many requests there were, and since then. */
  private record Seen(long requests, long sinceNanos) {}

  RequestTime(Server server, long limitMs) {
    this.server = server;
    this.limitMs = limitMs;
  }

  @Override
  protected void doStart() {
    again();
  }

  @Override
  protected void doStop() {
    Scheduler.Task last = next;
    if (last != null) {
      last.cancel();
    }
  }

  private void again() {
    next = server.getScheduler().schedule(this::sweep, limitMs / SWEEPS, TimeUnit.MILLISECONDS);
  }

  private void sweep() {
    long now = System.nanoTime();
    Map<EndPoint, Seen> still = new HashMap<>();
    for (Connector connector : server.getConnectors()) {
      for (EndPoint endPoint : connector.getConnectedEndPoints()) {
        if (Spoken.isAsked(endPoint)) {
          continue;
        }
        Connection connection = Spoken.on(endPoint);
        long requests = connection == null ? 0 : connection.getMessagesIn();
        Seen before = waiting.get(endPoint);
        Seen seen =
            before != null && before.requests() == requests ? before : new Seen(requests, now);
        if (now - seen.sinceNanos() > TimeUnit.MILLISECONDS.toNanos(limitMs)) {
          endPoint.close();
        } else {
          still.put(endPoint, seen);
        }
      }
    }
    waiting.clear();
    waiting.putAll(still);
    if (isRunning()) {
      again();
    }
  }
}
