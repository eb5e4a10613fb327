package io.mgtm.group.member;

import io.mgtm.group.core.Entry;
import io.mgtm.group.core.EntryKind;
import io.mgtm.group.storage.LogCursor;
import java.nio.ByteBuffer;

/**
 * The entries of the state machine that stand in a member's log still: at least as much as lies
 * between two checkpoints. Owner thread.
 */
public final class PastEntries {
  private final GroupDisk disk;

  private PastEntries(GroupDisk disk) {
    this.disk = disk;
  }

  /** Those of a log that is open. */
  public static PastEntries of(GroupLog log) {
    return new PastEntries(log.disk);
  }

  /** Takes entries in the log's order. */
  public interface Reader {
    /** One of them; its bytes are the reader's. */
    void read(long index, ByteBuffer payload);
  }

  /** The lowest index that {@link #read} can begin with; one above the last in an empty log. */
  public long firstIndex() {
    return disk.firstStored();
  }

  /**
   * Shows entries from one index to another, both included, until they have {@code bytesMax} bytes.
   *
   * @param toIndex at most what is committed
   * @return the index to go on with
   * @throws IllegalArgumentException when the log does not reach back to {@code fromIndex}
   */
  public long read(long fromIndex, long toIndex, int bytesMax, Reader reader) {
    long next = fromIndex;
    long bytes = 0;
    try (LogCursor cursor = disk.cursor(fromIndex)) {
      while (next <= toIndex && bytes < bytesMax && cursor.next()) {
        Entry entry = GroupDisk.entry(cursor.term(), cursor.payload());
        bytes += entry.payload().remaining();
        if (entry.kind() == EntryKind.COMMAND) {
          reader.read(next, entry.payload());
        }
        next++;
      }
    }
    return next;
  }
}
