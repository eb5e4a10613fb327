package io.mgtm.block.wire;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The connections that have not said yet who they are or what they want. Beyond a bound the oldest
 * goes, so that those who never say cannot keep out those who will. On the owner's event loop.
 */
public final class Newcomers {
  /** How many may be there at once. */
  public static final int MAX = 32;

  private final Map<Object, Runnable> waiting = new LinkedHashMap<>();

  /** One came; {@code refuse} ends it if it is the oldest of too many. */
  public void came(Object connection, Runnable refuse) {
    waiting.put(connection, refuse);
    if (waiting.size() > MAX) {
      Object oldest = waiting.keySet().iterator().next();
      waiting.remove(oldest).run();
    }
  }

  /** One has said what it had to, or is gone. */
  public void left(Object connection) {
    waiting.remove(connection);
  }
}
