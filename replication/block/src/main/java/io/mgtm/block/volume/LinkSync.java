package io.mgtm.block.volume;

import io.mgtm.block.intent.ChunkSet;
import io.mgtm.block.resync.ChunkWalk;
import io.mgtm.block.resync.Pace;
import io.mgtm.block.resync.Progress;
import io.mgtm.block.resync.RateLimiter;
import io.mgtm.block.volume.Change.Kind;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Resync and verify of one link. A chunk is read through the core's ordering, so no overlapping
 * write is under way while it is read, and it is put on the link in the same step in which its read
 * completes: a later write follows it, on both disks.
 *
 * <p>With checksums, a chunk stays out of sync while its comparison is under way, so that writes to
 * it are not sent; a write meanwhile makes the comparison void and the chunk is sent.
 */
final class LinkSync {
  private record Comparison(int chunk, int length, Object checksum, boolean verify) {}

  /** Bytes of a hole that go in one message; the target may have to write them as zeros. */
  private static final int HOLE_BYTES_MAX = 32 << 20;

  /** So many holes fill the window, for they cost time at the target and nothing on the way. */
  private static final int HOLES_IN_WINDOW = 4;

  private final ReplicaLink link;
  private final VolumeCore core;
  private final Pace pace;
  private final Map<Long, Comparison> comparisons = new HashMap<>();
  private long comparisonsFromSeq;
  private ChunkWalk walk;
  private ChunkSet written;
  private boolean comparing;
  private Progress progress;
  private int chunksEqual;
  private int chunksSent;
  private int chunksInHoles;

  /** No hole is looked for below this offset. */
  private long holesFrom;

  private boolean pumping;
  private boolean pumpAgain;
  private final Verification verification = new Verification();

  LinkSync(ReplicaLink link, VolumeCore core) {
    this.link = link;
    this.core = core;
    LinkConfig config = link.config;
    this.pace =
        new Pace(
            config.resyncWindowBytes(),
            new RateLimiter(config.resyncMinBytesPerSecond(), config.resyncMaxBytesPerSecond()));
  }

  Pace pace() {
    return pace;
  }

  Progress progress() {
    return progress;
  }

  Verification verification() {
    return verification;
  }

  /** Where the last finished or running verify found differences, {@code max} places at most. */
  List<VolumeView.Range> differing(int max) {
    return verification.differing(
        max, link.slot == null ? 0 : link.slot.chunkBytes, core::chunkLength);
  }

  int chunksSent() {
    return chunksSent;
  }

  int chunksEqual() {
    return chunksEqual;
  }

  private int underWayMax() {
    return (int)
        Math.max(1, Math.min(1024, link.config.resyncWindowBytes() / link.slot.chunkBytes));
  }

  void begin(boolean compareFirst) {
    end();
    comparing = compareFirst;
    verification.resyncBegins(link.slot.outOfSync);
    walk = new ChunkWalk(link.slot.outOfSync, underWayMax());
    written = new ChunkSet(link.slot.outOfSync.size());
    progress =
        new Progress((long) link.slot.outOfSync.cardinality() * link.slot.chunkBytes, core.nowMs());
    chunksEqual = 0;
    chunksSent = 0;
    chunksInHoles = 0;
    holesFrom = 0;
  }

  /** Nothing of a resync or verify is under way any more. */
  void end() {
    walk = null;
    if (verification.isRunning()) {
      core.effects().notice("link " + link.config.name() + ": verify was cut short");
    }
    verification.end();
    written = null;
    comparisons.clear();
    comparisonsFromSeq = link.nextSeq();
    pace.reset();
  }

  /** Begins to compare every chunk; what differs is sent at the end when {@code repairing}. */
  void beginVerify(boolean repairing) {
    verification.begin(
        link.slot.outOfSync.size(),
        underWayMax(),
        repairing,
        new Progress(core.state().sizeBytes(), core.nowMs()));
  }

  /**
   * Sends and compares as much as window and rate allow. A store that completes at once calls back
   * from within, which is noted and done here: the stack does not grow with the window.
   */
  void pump() {
    pumpAgain = true;
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      while (pumpAgain) {
        pumpAgain = false;
        pumpOnce();
      }
    } finally {
      pumping = false;
    }
  }

  private void pumpOnce() {
    if (link.phase == LinkPhase.SYNCING && walk != null) {
      pump(walk, comparing, false);
      if (link.phase == LinkPhase.SYNCING && walk != null && walk.isDone()) {
        walk = null;
        core.effects()
            .notice(
                "link "
                    + link.config.name()
                    + ": resync sent "
                    + chunksSent
                    + " chunks, "
                    + chunksInHoles
                    + " of them in holes, and "
                    + chunksEqual
                    + " were equal");
        core.replication().meetings().share(link);
      }
    } else if (link.phase == LinkPhase.UP_TO_DATE && verification.isRunning()) {
      pump(verification.walk(), true, true);
      if (verification.isRunning() && verification.walk().isDone()) {
        endVerify();
      }
    }
  }

  private void pump(ChunkWalk over, boolean checksum, boolean verify) {
    long session = link.session;
    while (link.session == session && pace.hasRoom()) {
      int chunk = over.peek();
      if (chunk < 0) {
        return;
      }
      int length = core.chunkLength(chunk);
      if (!pace.tryTake(length, link.isFlushAwaited(), core.nowMs())) {
        return;
      }
      int holeEnd = verify ? chunk : holeEnd(over, chunk);
      if (holeEnd > chunk) {
        readHole(over, chunk, holeEnd);
        continue;
      }
      over.begin(chunk);
      pace.began(length, core.nowMs());
      read(chunk, length, checksum, verify);
    }
  }

  private void read(int chunk, int length, boolean checksum, boolean verify) {
    Change read =
        new Change().internal(Kind.READ_CHUNK, (long) chunk * link.slot.chunkBytes, length);
    read.link = link.index;
    read.session = link.session;
    read.checksum = checksum;
    read.verify = verify;
    core.submitRead(read);
  }

  /** The end of the chunks from {@code chunk} on that are to be sent and look like one hole. */
  private int holeEnd(ChunkWalk over, int chunk) {
    long offset = (long) chunk * link.slot.chunkBytes;
    if (offset < holesFrom) {
      return chunk;
    }
    long length = Math.min(HOLE_BYTES_MAX, core.state().sizeBytes() - offset);
    long extent = core.effects().extentAt(offset, length);
    int end = chunk;
    long found = 0;
    while (found < -extent && over.mayBegin(end) && found + core.chunkLength(end) <= -extent) {
      found += core.chunkLength(end);
      end++;
    }
    if (end == chunk) {
      holesFrom = offset + Math.max(extent, 1);
    }
    return end;
  }

  /** Has it made sure, once what is being written there is written, that a hole is still one. */
  private void readHole(ChunkWalk over, int first, int end) {
    long length = 0;
    for (int chunk = first; chunk < end; chunk++) {
      over.begin(chunk);
      length += core.chunkLength(chunk);
    }
    pace.began(holeWeight(length), core.nowMs());
    Change read =
        new Change().internal(Kind.READ_HOLE, (long) first * link.slot.chunkBytes, length);
    read.link = link.index;
    read.session = link.session;
    core.submitRead(read);
  }

  private long holeWeight(long length) {
    return Math.min(length, Math.max(1, link.config.resyncWindowBytes() / HOLES_IN_WINDOW));
  }

  private void holeRead(Change read, boolean hole) {
    int first = (int) (read.offset / link.slot.chunkBytes);
    int end = link.slot.lastChunk(read) + 1;
    for (int chunk = first; chunk < end; chunk++) {
      if (hole) {
        link.slot.chunkSent(chunk);
      }
      walk.end(chunk);
    }
    if (hole) {
      chunksSent += end - first;
      chunksInHoles += end - first;
      progress.advance(read.length, core.nowMs());
      core.effects()
          .sendChunk(
              link.index,
              link.nextResyncSeq(holeWeight(read.length)),
              read.offset,
              (int) read.length,
              null);
    } else {
      holesFrom = read.offset + read.length;
      pace.ended(holeWeight(read.length), core.nowMs());
    }
  }

  private void endVerify() {
    verification.end();
    long mismatches = verification.mismatches();
    core.effects()
        .notice(
            "link "
                + link.config.name()
                + ": verify found "
                + mismatches
                + " chunks that differ"
                + (mismatches > 0 ? ", the first at " + differing(4) : ""));
    if (mismatches > 0 && verification.repairs()) {
      for (int chunk : verification.mismatched()) {
        link.slot.chunkDiffers(chunk);
      }
      link.start(link.slot, false);
    }
  }

  /** A chunk's read ended; the session was checked. */
  void chunkRead(Change read, Object data, boolean zero, Object checksum) {
    if (read.kind == Kind.READ_HOLE) {
      holeRead(read, zero);
      return;
    }
    int chunk = (int) (read.offset / link.slot.chunkBytes);
    int length = (int) read.length;
    if (read.checksum) {
      core.effects().discard(data);
      long seq = link.nextResyncSeq(0);
      if (written != null) {
        written.remove(chunk);
      }
      comparisons.put(seq, new Comparison(chunk, length, checksum, read.verify));
      core.effects().sendChecksumRequest(link.index, seq, read.offset, length);
      return;
    }
    link.slot.chunkSent(chunk);
    walk.end(chunk);
    chunksSent++;
    progress.advance(length, core.nowMs());
    if (zero) {
      core.effects().discard(data);
    }
    core.effects()
        .sendChunk(link.index, link.nextResyncSeq(length), read.offset, length, zero ? null : data);
  }

  /** A write goes to chunks that are out of sync: comparisons of them are void. */
  void noteWrite(Change change) {
    if (written == null || comparisons.isEmpty()) {
      return;
    }
    for (int chunk = link.slot.firstChunk(change), last = link.slot.lastChunk(change);
        chunk <= last;
        chunk++) {
      written.add(chunk);
    }
  }

  /** The target's checksum of an earlier request came. */
  void compared(long seq, Object checksum) {
    Comparison comparison = comparisons.remove(seq);
    if (comparison == null && seq < comparisonsFromSeq) {
      return;
    }
    if (comparison == null) {
      core.loseLink(link, "the replica answered a checksum request that was not made");
      return;
    }
    boolean equal = comparison.checksum().equals(checksum);
    if (comparison.verify()) {
      if (!verification.isRunning()) {
        return;
      }
      pace.ended(comparison.length(), core.nowMs());
      verification.compared(comparison.chunk(), comparison.length(), equal, core.nowMs());
    } else if (walk != null) {
      if (equal && !written.contains(comparison.chunk())) {
        link.slot.chunkEqual(comparison.chunk());
        walk.end(comparison.chunk());
        pace.ended(comparison.length(), core.nowMs());
        chunksEqual++;
        progress.advance(comparison.length(), core.nowMs());
      } else {
        read(comparison.chunk(), comparison.length(), false, false);
      }
    }
    pump();
  }

  /** Makes room for a larger volume; a resync or verify under way begins again. */
  void grown() {
    link.session++;
    link.slot.endMark(false);
    if (walk != null) {
      boolean compareFirst = comparing;
      begin(compareFirst);
    } else {
      end();
    }
  }
}
