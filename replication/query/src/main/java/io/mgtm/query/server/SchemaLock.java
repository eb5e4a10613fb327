package io.mgtm.query.server;

import java.util.ArrayDeque;

/**
 * Held by the one session whose transaction changes the schema, from its first such statement until
 * its end. Any thread.
 */
final class SchemaLock {
  private final ArrayDeque<Schema> waiting = new ArrayDeque<>();
  private Schema owner;

  /**
   * Whether it is the session's now; else {@link Schema#unlocked} is called when it may be asked
   * for again.
   */
  synchronized boolean enter(Schema schema) {
    if (owner == null || owner == schema) {
      owner = schema;
      waiting.remove(schema);
      return true;
    }
    if (!waiting.contains(schema)) {
      waiting.add(schema);
    }
    return false;
  }

  /** The session neither holds it any more nor waits for it. */
  void leave(Schema schema) {
    Schema next;
    synchronized (this) {
      waiting.remove(schema);
      if (owner != schema) {
        return;
      }
      owner = null;
      next = waiting.poll();
    }
    if (next != null) {
      next.unlocked();
    }
  }
}
