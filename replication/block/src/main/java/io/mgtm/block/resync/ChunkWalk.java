package io.mgtm.block.resync;

import io.mgtm.block.intent.ChunkSet;

/**
 * The walk of a resync or verify over a set of chunks with a bounded number under way. The walk
 * ends when the set holds nothing that is not under way, after as many rounds as it takes. Not
 * thread-safe.
 */
public final class ChunkWalk {
  private final ChunkSet todo;
  private final ChunkSet underWay;
  private final int underWayMax;
  private int cursor;

  /**
   * A walk over {@code todo}, which others may change meanwhile, with at most {@code underWayMax}
   * chunks under way.
   */
  public ChunkWalk(ChunkSet todo, int underWayMax) {
    if (underWayMax < 1) {
      throw new IllegalArgumentException(
          "a walk needs at least one chunk under way, not " + underWayMax);
    }
    this.todo = todo;
    this.underWay = new ChunkSet(todo.size());
    this.underWayMax = underWayMax;
  }

  /**
   * The next chunk to take, which stays the next until {@link #begin}; -1 when there is none now.
   */
  public int peek() {
    if (underWay.cardinality() >= underWayMax) {
      return -1;
    }
    int found = search(cursor);
    return found >= 0 || cursor == 0 ? found : search(0);
  }

  private int search(int from) {
    int chunk = todo.next(from);
    while (chunk >= 0 && underWay.contains(chunk)) {
      chunk = todo.next(chunk + 1);
    }
    return chunk;
  }

  /** Whether {@code chunk} is to be taken and not under way. */
  public boolean mayBegin(int chunk) {
    return chunk < todo.size() && todo.contains(chunk) && !underWay.contains(chunk);
  }

  /** {@code chunk} is under way. */
  public void begin(int chunk) {
    underWay.add(chunk);
    cursor = chunk + 1;
  }

  /** {@code chunk} is no longer under way; whether it is done the set says. */
  public void end(int chunk) {
    underWay.remove(chunk);
  }

  /** Whether nothing is left and nothing is under way. */
  public boolean isDone() {
    return underWay.isEmpty() && todo.isEmpty();
  }
}
