package io.mgtm.block.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.function.LongPredicate;

/**
 * What clients wrote and were told. A write's id is the value of the blocks it wrote. Says whether
 * a disk's content is one that a client may find.
 */
final class ModelHistory {
  private static final class Write {
    final int issuedAt;
    final int offset;
    final int length;
    int ackedAt = Integer.MAX_VALUE;
    boolean durable;
    int durableAt = Integer.MAX_VALUE;
    long durableIn;
    long generation;
    int node;
    long issuedIn;
    boolean spoiled;
    boolean lost;

    Write(int issuedAt, int offset, int length, int node) {
      this.issuedAt = issuedAt;
      this.offset = offset;
      this.length = length;
      this.node = node;
    }
  }

  private final List<Write> writes = new ArrayList<>();

  /** By block, when the newest acknowledged write there was issued. */
  private final int[] newest = new int[ModelDisk.BLOCKS_MAX];

  private int clock;
  private int lastPowerLoss;

  /** What lies on a node's disk past the end of the volume, from former times. */
  static long oldRubbish(int node) {
    return 1L + node;
  }

  ModelHistory() {
    writes.add(new Write(0, 0, 0, -1));
    for (int node = 0; node < ModelWorld.NODES_MAX; node++) {
      Write rubbish = new Write(0, 0, 0, -1);
      rubbish.ackedAt = 0;
      writes.add(rubbish);
    }
  }

  int now() {
    return clock;
  }

  /** A write was issued; its id is returned. */
  long issued(int node, long generation, int offset, int length) {
    Write write = new Write(++clock, offset, length, node);
    write.issuedIn = generation;
    writes.add(write);
    int id = writes.size() - 1;
    return id;
  }

  void acked(long id, boolean durable, long generation) {
    Write write = writes.get((int) id);
    write.ackedAt = ++clock;
    write.durable = durable;
    write.durableAt = durable ? write.ackedAt : Integer.MAX_VALUE;
    write.durableIn = generation;
    write.generation = generation;
    for (int block = write.offset; block < write.offset + write.length; block++) {
      newest[block] = Math.max(newest[block], write.issuedAt);
    }
  }

  /**
   * A FLUSH issued at {@code issuedAt} on {@code node} succeeded, and was answered in {@code
   * generation}: a copy that was cut off before does not know that, and need not have it durable.
   */
  void flushed(int node, int issuedAt, long generation) {
    clock++;
    for (Write write : writes) {
      boolean lost = write.ackedAt < lastPowerLoss || write.lost;
      if (write.node == node && write.ackedAt < issuedAt && !lost) {
        write.durableIn = write.durable ? write.durableIn : generation;
        write.durable = true;
        write.durableAt = Math.min(write.durableAt, clock);
      }
    }
  }

  /**
   * A flush of {@code node} failed, and no other copy stands in: what it had in its cache may be
   * gone, of which a client must be told.
   */
  void flushFailed(int node) {
    for (Write write : writes) {
      write.spoiled |= write.node == node && !write.durable;
    }
  }

  /** A client of {@code node} was told that a flush failed. */
  void toldOfFailedFlush(int node) {
    for (Write write : writes) {
      write.lost |= write.node == node && write.spoiled && !write.durable;
    }
  }

  /** The only copies that knew these generations are given up. */
  void givenUp(LongPredicate unknown) {
    for (Write write : writes) {
      if (unknown.test(write.generation)) {
        write.spoiled = true;
        write.lost = true;
        write.durable = false;
        write.durableAt = Integer.MAX_VALUE;
      }
    }
  }

  /** Whether a client was told that the write is durable. */
  boolean isDurable(long id) {
    return writes.get((int) id).durable;
  }

  /** The last write that was issued. */
  int lastIssued() {
    return writes.size() - 1;
  }

  /** Whether something was acknowledged in a generation of {@code own} that others do not know. */
  boolean isAnsweredBeyond(Generations own, Generations others) {
    return writes.stream()
        .anyMatch(write -> own.contains(write.generation) && !others.contains(write.generation));
  }

  int tick() {
    return ++clock;
  }

  void powerLost() {
    lastPowerLoss = ++clock;
  }

  /**
   * Whether {@link #violation} may find something: quick, and wrong only where it says yes, because
   * of writes that a power loss took.
   */
  boolean mayViolate(long[] disk, int blocks) {
    for (int block = 0; block < blocks; block++) {
      Write found = writes.get((int) disk[block]);
      if (newest[block] > 0 && (disk[block] == 0 || found.ackedAt < newest[block])) {
        return true;
      }
    }
    for (int block = blocks; block < newest.length; block++) {
      if (newest[block] > 0) {
        return true;
      }
    }
    return false;
  }

  private boolean isRequired(Write write, Generations known) {
    boolean durable = write.durable && known.contains(write.durableIn);
    return known.contains(write.generation) && (durable || isKept(write));
  }

  /** Checks a disk that must hold whatever was acknowledged in generations it knows. */
  String violation(long[] disk, Generations known) {
    return violation(disk, required(known));
  }

  /** Checks a disk that must hold whatever this very node acknowledged in generations it knows. */
  String violationOfOwn(int node, long[] disk, Generations known) {
    List<Write> own = required(known);
    own.removeIf(write -> write.node != node);
    return violation(disk, own);
  }

  /** Checks a disk that must hold whatever was acknowledged by anybody. */
  String violationOfAll(long[] disk) {
    return violation(disk, writes.stream().filter(this::isLasting).toList());
  }

  private String violation(long[] disk, List<Write> required) {
    for (Write write : required) {
      if (write.offset + write.length > disk.length) {
        return "has " + disk.length + " blocks, too few for write " + writes.indexOf(write);
      }
    }
    for (int block = 0; block < disk.length; block++) {
      String bad = check(disk, block, required);
      if (bad != null) {
        return bad;
      }
    }
    return null;
  }

  /** Checks what a client read from {@code offset} on, which asked at {@code issuedAt}. */
  String readViolation(int offset, long[] shown, int issuedAt) {
    long[] disk = new long[ModelDisk.BLOCKS_MAX];
    System.arraycopy(shown, 0, disk, offset, shown.length);
    List<Write> before =
        writes.stream().filter(write -> isLasting(write) && write.ackedAt < issuedAt).toList();
    for (int block = offset; block < offset + shown.length; block++) {
      String bad = check(disk, block, before);
      if (bad != null) {
        return bad;
      }
    }
    return null;
  }

  /**
   * Checks a disk that must hold a prefix: with any write that it shows, also all that the same
   * side had acknowledged in the same generation before that write was issued.
   */
  String prefixViolation(long[] disk) {
    return prefixViolation(disk, false);
  }

  /**
   * Like {@link #prefixViolation}, but only what was flushed before the shown write was issued must
   * be there: what a disk keeps whose own machine died.
   */
  String flushedPrefixViolation(long[] disk) {
    return prefixViolation(disk, true);
  }

  private String prefixViolation(long[] disk, boolean flushedOnly) {
    for (long shown : disk) {
      Write late = writes.get((int) shown);
      List<Write> before = new ArrayList<>(writes);
      before.removeIf(
          write ->
              !isLasting(write)
                  || write.node != late.node
                  || write.generation != late.issuedIn
                  || (flushedOnly ? write.durableAt : write.ackedAt) > late.issuedAt);
      String bad = violation(disk, before);
      if (bad != null) {
        return "shows write " + shown + " but not what came before: " + bad;
      }
    }
    return null;
  }

  private boolean isLasting(Write write) {
    return write.ackedAt != Integer.MAX_VALUE && (write.durable || isKept(write));
  }

  /** Whether caches that no power loss emptied have it. */
  private boolean isKept(Write write) {
    return write.ackedAt != Integer.MAX_VALUE && write.ackedAt > lastPowerLoss && !write.spoiled;
  }

  private List<Write> required(Generations known) {
    List<Write> required = new ArrayList<>();
    for (Write write : writes) {
      if (isRequired(write, known)) {
        required.add(write);
      }
    }
    return required;
  }

  private String check(long[] disk, int block, List<Write> required) {
    Write found = writes.get((int) disk[block]);
    for (Write write : required) {
      boolean covers = write.offset <= block && block < write.offset + write.length;
      if (covers && found != write && (disk[block] == 0 || found.ackedAt < write.issuedAt)) {
        return "block "
            + block
            + " shows write "
            + disk[block]
            + " although write "
            + writes.indexOf(write)
            + " was acknowledged"
            + (write.durable ? " as durable" : "")
            + " later";
      }
    }
    return null;
  }
}
