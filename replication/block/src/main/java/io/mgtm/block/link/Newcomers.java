package io.mgtm.block.link;

import java.util.ArrayDeque;

/**
 * The connections that have not said yet who they are. Beyond a bound the oldest goes, so that
 * those who never say cannot keep out those who will. On the owner's event loop.
 */
public final class Newcomers {
  static final int MAX = 32;

  private final ArrayDeque<LinkConnection> waiting = new ArrayDeque<>();

  void came(LinkConnection connection) {
    waiting.add(connection);
    if (waiting.size() > MAX) {
      waiting.poll().fail("too many connections came that do not introduce themselves");
    }
  }

  void left(LinkConnection connection) {
    waiting.remove(connection);
  }

  int count() {
    return waiting.size();
  }
}
