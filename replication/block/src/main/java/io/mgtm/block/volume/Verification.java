package io.mgtm.block.volume;

import io.mgtm.block.intent.ChunkSet;
import io.mgtm.block.resync.ChunkWalk;
import io.mgtm.block.resync.Progress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * What the last or running verify of a link has compared, what it found different, and whether that
 * was sent since.
 */
final class Verification {
  private ChunkWalk walk;
  private ChunkSet todo;
  private ChunkSet mismatched;
  private long mismatches = -1;
  private Progress progress;
  private boolean repairs;
  private boolean underRepair;
  private boolean repaired;

  /** Begins with all {@code chunks}; what differs is to be sent at the end when it repairs. */
  void begin(int chunks, int underWayMax, boolean repairs, Progress progress) {
    this.repairs = repairs;
    this.progress = progress;
    todo = new ChunkSet(chunks);
    todo.fill();
    walk = new ChunkWalk(todo, underWayMax);
    mismatched = new ChunkSet(chunks);
    mismatches = 0;
    repaired = false;
  }

  boolean isRunning() {
    return walk != null;
  }

  /** The chunks to compare; null when none runs. */
  ChunkWalk walk() {
    return walk;
  }

  Progress progress() {
    return progress;
  }

  /** Mismatching chunks of the last finished or running verify, -1 when there was none. */
  long mismatches() {
    return mismatches;
  }

  boolean repairs() {
    return repairs;
  }

  /** A chunk of a running verify was compared. */
  void compared(int chunk, int length, boolean equal, long nowMs) {
    todo.remove(chunk);
    walk.end(chunk);
    progress.advance(length, nowMs);
    if (!equal) {
      mismatches++;
      mismatched.add(chunk);
    }
  }

  /** It is through, or was cut short. */
  void end() {
    walk = null;
    todo = null;
  }

  /** Where it found differences, {@code max} places at most. */
  List<VolumeView.Range> differing(int max, long chunkBytes, IntUnaryOperator chunkLength) {
    List<VolumeView.Range> ranges = new ArrayList<>();
    int chunk = mismatched == null ? -1 : mismatched.next(0);
    while (chunk >= 0 && ranges.size() < max) {
      int end = chunk;
      long length = 0;
      for (; end < mismatched.size() && mismatched.contains(end); end++) {
        length += chunkLength.applyAsInt(end);
      }
      ranges.add(new VolumeView.Range(chunk * chunkBytes, length));
      chunk = end < mismatched.size() ? mismatched.next(end) : -1;
    }
    return ranges;
  }

  /** The chunks that differed, in order. */
  int[] mismatched() {
    int[] chunks = new int[mismatched.cardinality()];
    int found = 0;
    for (int chunk = mismatched.next(0); chunk >= 0; chunk = mismatched.next(chunk + 1)) {
      chunks[found++] = chunk;
    }
    return chunks;
  }

  /** A resync of {@code outOfSync} begins: whether it repairs all that was found different. */
  void resyncBegins(ChunkSet outOfSync) {
    underRepair = mismatches > 0;
    for (int chunk = underRepair ? mismatched.next(0) : -1;
        chunk >= 0;
        chunk = mismatched.next(chunk + 1)) {
      underRepair &= outOfSync.contains(chunk);
    }
  }

  /** The resync has ended: the replica has all, on stable storage. */
  void resyncEnded() {
    repaired |= underRepair;
    underRepair = false;
  }

  /** Whether what it found different was sent since. */
  boolean isRepaired() {
    return repaired;
  }
}
