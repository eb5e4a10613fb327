package io.mgtm.block.volume;

import java.util.function.Consumer;

/**
 * One request on its way through the core. Mutable and pooled by whoever submits it: after {@link
 * VolumeEffects#complete} the core holds no reference and it may be used again.
 */
public final class Change {
  /** What is asked for. */
  public enum Kind {
    /** Bytes are written. */
    WRITE,
    /** A range becomes zeros. */
    ZERO,
    /** Everything completed before becomes durable. */
    FLUSH,
    /** The core reads a chunk in order to send it or its checksum. */
    READ_CHUNK,
    /** The core asks whether chunks that looked like a hole are one. */
    READ_HOLE,
    /** The receiving side reads a range in order to answer a checksum request. */
    READ_RANGE,
    /** The receiving side reads a range for a source that has no disk. */
    READ_BYTES,
    /** The core confirms what a replica has on stable storage. */
    MARK
  }

  Kind kind;
  long offset;
  long length;
  boolean fua;
  boolean mayUnmap;
  boolean fromUpstream;
  boolean ordered;
  Object data;
  Object context;

  // The core's own bookkeeping.
  enum Stage {
    IDLE,
    WAITING,
    IN_FLIGHT
  }

  Stage stage = Stage.IDLE;
  int waits;
  int errno;
  int link = -1;
  long session;
  boolean checksum;
  boolean verify;

  /** Told when a change of this side's own is done, which nobody submitted. */
  Consumer<Change> whenDone;

  long seq;
  long markEpoch;
  Change previous;
  Change next;

  /** Makes this a write of {@code data}, {@code length} bytes at {@code offset}. */
  public Change write(long atOffset, int bytes, boolean forceUnitAccess, Object payload) {
    return reset(Kind.WRITE, atOffset, bytes, forceUnitAccess, false, payload);
  }

  /** Makes this a zeroing; {@code unmap} lets the space be given back. */
  public Change zero(long atOffset, long bytes, boolean forceUnitAccess, boolean unmap) {
    return reset(Kind.ZERO, atOffset, bytes, forceUnitAccess, unmap, null);
  }

  /** Makes this a flush. */
  public Change flush() {
    return reset(Kind.FLUSH, 0, 0, false, false, null);
  }

  /** Makes this a read that keeps its place among overlapping changes. */
  public Change readRange(long atOffset, long bytes) {
    return reset(Kind.READ_RANGE, atOffset, bytes, false, false, null);
  }

  /** Makes this a read for a source that has no disk; it keeps its place among changes. */
  public Change readBytes(long atOffset, long bytes) {
    return reset(Kind.READ_BYTES, atOffset, bytes, false, false, null);
  }

  Change internal(Kind what, long atOffset, long bytes) {
    return reset(what, atOffset, bytes, false, false, null);
  }

  private Change reset(
      Kind what,
      long atOffset,
      long bytes,
      boolean forceUnitAccess,
      boolean unmap,
      Object payload) {
    if (stage != Stage.IDLE || waits != 0) {
      throw new IllegalStateException("a change is used again while it is under way");
    }
    kind = what;
    offset = atOffset;
    length = bytes;
    fua = forceUnitAccess;
    mayUnmap = unmap;
    data = payload;
    fromUpstream = false;
    ordered = false;
    errno = 0;
    link = -1;
    checksum = false;
    verify = false;
    whenDone = null;
    return this;
  }

  /** Marks the change as coming from the upstream rather than from a client. */
  public Change fromUpstream() {
    fromUpstream = true;
    return this;
  }

  /**
   * Says whether what follows on the link must wait until this FLUSH or FUA write is durable here.
   */
  public Change ordered(boolean followersWait) {
    ordered = followersWait;
    return this;
  }

  /** Attaches what the submitter needs when the change completes. */
  public Change context(Object submitters) {
    context = submitters;
    return this;
  }

  /** What is asked for. */
  public Kind kind() {
    return kind;
  }

  /** The first byte. */
  public long offset() {
    return offset;
  }

  /** How many bytes. */
  public long length() {
    return length;
  }

  /** Whether the reply waits for stable storage. */
  public boolean isFua() {
    return fua;
  }

  /** Whether zeroed space may be given back. */
  public boolean mayUnmap() {
    return mayUnmap;
  }

  /** Whether it came from the upstream. */
  public boolean isFromUpstream() {
    return fromUpstream;
  }

  /** The submitter's payload. */
  public Object data() {
    return data;
  }

  /** The submitter's context. */
  public Object context() {
    return context;
  }

  /** For {@link Kind#READ_CHUNK}: whether a checksum of the bytes is wanted. */
  public boolean wantsChecksum() {
    return checksum;
  }

  boolean overlaps(Change other) {
    return offset < other.offset + other.length && other.offset < offset + length;
  }

  boolean changesBytes() {
    return kind == Kind.WRITE || kind == Kind.ZERO;
  }
}
