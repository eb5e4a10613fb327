package io.mgtm.ha.notify;

import io.mgtm.common.Rarely;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.Notified;
import io.mgtm.ha.model.EventKind;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells one target of events while this controller leads, on a thread of its own: in order, each at
 * least once, again and again until it is taken. The position is committed after what was sent, so
 * that the next leader may say the last of it twice.
 */
final class Sender implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Sender.class);
  private static final int DOUBLINGS_MAX = 8;

  private final String target;
  private final Outlet outlet;
  private final Set<EventKind> kinds;
  private final Function<Notified, CompletableFuture<?>> commit;
  private final long retryMs;
  private final Rarely failures = new Rarely();
  private final Thread thread;

  private ClusterState newest;
  private boolean closed;

  /** What this controller has sent; the state has it a little later. */
  private long sent = -1;

  /**
   * Begins to wait for events.
   *
   * @param commit has the cluster remember a position
   * @param retryMs the first wait after a failure; each is twice as long as the one before, up to
   *     256 times
   */
  Sender(
      String target,
      Outlet outlet,
      Set<EventKind> kinds,
      Function<Notified, CompletableFuture<?>> commit,
      long retryMs) {
    this.target = target;
    this.outlet = outlet;
    this.kinds = kinds;
    this.commit = commit;
    this.retryMs = retryMs;
    this.thread = new Thread(this::run, "mgtm-ha-notify-" + target);
    thread.setDaemon(true);
    thread.start();
  }

  /** There is a newer state; null while another controller leads. Does not wait. */
  synchronized void state(ClusterState state) {
    newest = state;
    notifyAll();
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    thread.interrupt();
  }

  private void run() {
    int failed = 0;
    try {
      while (true) {
        Backlog backlog = next();
        if (backlog == null) {
          return;
        }
        try {
          if (!backlog.events().isEmpty()) {
            outlet.send(backlog.events(), backlog.lost());
          }
          failed = 0;
          remember(backlog.upTo());
        } catch (IOException | RuntimeException e) {
          // What a library throws of the other side's making does not end the telling.
          String why = e.getMessage();
          failures.run(more -> log.warn("{} was not told of events: {}{}", target, why, more));
          pause(retryMs << Math.min(failed++, DOUBLINGS_MAX));
        }
      }
    } catch (InterruptedException e) {
      log.debug("{} is told no more", target, e);
    }
  }

  /** Waits for something to tell; null at the end. */
  private synchronized Backlog next() throws InterruptedException {
    while (!closed) {
      if (newest != null) {
        Long known = newest.notified().get(target);
        if (known == null && sent < 0) {
          // Whoever is new here is told of what happens from now on.
          return new Backlog(List.of(), newest.lastEvent(), 0);
        }
        sent = Math.max(sent, known == null ? -1 : known);
        Backlog backlog = Backlog.of(newest, sent, kinds);
        if (backlog.upTo() > sent) {
          return backlog;
        }
      }
      wait();
    }
    return null;
  }

  private void remember(long upTo) {
    sent = upTo;
    try {
      commit.apply(new Notified(target, upTo)).join();
    } catch (CompletionException e) {
      log.debug("The position of {} is committed with the next", target, e);
    }
  }

  /** A new state does not shorten it: who is asked too often does not recover. */
  private synchronized void pause(long ms) throws InterruptedException {
    long until = System.nanoTime() + ms * 1_000_000;
    for (long left = ms; left > 0 && !closed; left = (until - System.nanoTime()) / 1_000_000) {
      wait(left);
    }
  }
}
