package io.mgtm.query.catalogue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/**
 * Held by the one session whose transaction changes the schema, from its first such statement until
 * its end; or by who lets none change it. Any thread.
 */
public final class SchemaLock {
  /** Who may hold it. */
  public interface Holder {
    /** It may be asked for again; any thread. */
    void unlocked();

    /** For how long its transaction has done nothing; 0 while it does. Any thread. */
    long idleNanos();
  }

  private final ArrayDeque<Holder> waiting = new ArrayDeque<>();
  private Holder owner;

  /**
   * Whether it is the session's now; else {@link Holder#unlocked} is called when it may be asked
   * for again.
   */
  public synchronized boolean enter(Holder holder) {
    if (owner == null || owner == holder) {
      owner = holder;
      waiting.remove(holder);
      return true;
    }
    if (!waiting.contains(holder)) {
      waiting.add(holder);
    }
    return false;
  }

  /** For how long who holds it has done nothing; 0 where nobody does. */
  public synchronized long idleNanos() {
    return owner == null ? 0 : owner.idleNanos();
  }

  /** The session neither holds it any more nor waits for it. */
  public void leave(Holder holder) {
    Holder next;
    synchronized (this) {
      waiting.remove(holder);
      if (owner != holder) {
        return;
      }
      owner = null;
      next = waiting.poll();
    }
    if (next != null) {
      next.unlocked();
    }
  }

  /**
   * Waits until nobody changes the schema, and lets nobody until that holder leaves.
   *
   * @throws IOException when somebody does for longer than that
   */
  public Holder take(int withinMs) throws IOException {
    CompletableFuture<Void> taken = new CompletableFuture<>();
    Holder holder =
        new Holder() {
          @Override
          public void unlocked() {
            if (enter(this) && !taken.complete(null)) {
              leave(this);
            }
          }

          /** It may take long, and nobody waits for it. */
          @Override
          public long idleNanos() {
            return Long.MAX_VALUE;
          }
        };
    holder.unlocked();
    try {
      taken.orTimeout(withinMs, TimeUnit.MILLISECONDS).join();
      return holder;
    } catch (CompletionException e) {
      leave(holder);
      throw new IOException(
          "a transaction changes the schema for longer than %d ms; repeat it".formatted(withinMs),
          e);
    }
  }
}
