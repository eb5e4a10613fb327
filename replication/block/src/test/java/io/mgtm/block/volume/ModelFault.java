package io.mgtm.block.volume;

/** Faults planted into the model's surroundings; each must be caught by the model test. */
enum ModelFault {
  NONE,
  /** The bitmap's file answers before it holds the bit. */
  REPLY_BEFORE_BIT_IS_DURABLE,
  /** The target says durable what it has only written, so that bits are cleared too early. */
  BIT_CLEARED_BEFORE_TARGET_IS_DURABLE,
  /** Writes during a resync are not sent. */
  RESYNC_MISSES_WRITE,
  /** The target answers a client's FLUSH without flushing. */
  FLUSH_NOT_FORWARDED,
  /** A target is promoted although it says that it is inconsistent. */
  INCONSISTENT_TARGET_PROMOTED,
  /** Going on alone, and promotion, keep the generation. */
  GENERATION_NOT_RENEWED,
  /** The target acknowledges as written what it has only received. */
  ACKNOWLEDGED_BEFORE_WRITTEN,
  /** What the other side changed by itself is ignored when the two meet. */
  PEER_BITMAP_IGNORED,
  /** A chunk of a resync carries bytes read before the last write to it. */
  RESYNC_SENDS_STALE_CHUNK,
  /** What looked like a hole is sent as one, though a write was on its way there. */
  HOLE_NOT_LOOKED_AT_AGAIN,
  /** A target of a link that is not synchronous writes on while a FLUSH is under way. */
  FOLLOWERS_DO_NOT_WAIT_FOR_FLUSH,
  /** A semi-synchronous target acknowledges what waits in a backlog that it may still drop. */
  ACKNOWLEDGED_IN_BACKLOG,
  /** A bitmap's file is not told that the volume has grown; a restart ignores the bits above. */
  BITMAP_KEEPS_ITS_SIZE,
  /** That a bitmap is lost is known until the next restart only. */
  LOST_BITMAP_NOT_NOTED,
  /** A bitmap that is damaged or missing counts as one without bits. */
  DAMAGED_BITMAP_TAKEN_AS_EMPTY,
  /** What lay behind the end of a volume belongs to it when it grows. */
  GROWN_BYTES_LEFT_AS_THEY_WERE,
  /** A primary is not told that the other side is newer. */
  OLD_PRIMARY_SERVES_ON,
  /** Whoever is asked before a promotion says that the asking copy is the newest. */
  PROMOTED_WITHOUT_HANDOVER,
  /** A copy hands over and is the newest all the same after it was restarted. */
  HANDED_OVER_TWICE,
  /** The replicas that are left do not learn of the generation in which one was left behind. */
  GENERATION_NOT_SPREAD,
  /** A primary whose disk failed reads from it all the same. */
  READS_A_FAILED_DISK,
  /** A primary goes on without its disk before it has written down that it has none. */
  GOES_ON_BEFORE_IT_IS_WRITTEN,
  /** A flush that failed counts as one that succeeded. */
  FAILED_FLUSH_FORGOTTEN,
  /** A flush that fails while the volume grows counts as a growth that failed, and no more. */
  GROWTH_FLUSHES_BY_ITSELF,
  /** A side that died during a flush that failed starts as after any other death. */
  FLUSH_MARK_IGNORED,
  /** A state whose file is damaged is taken from the spare, as it was before its last change. */
  DAMAGED_STATE_TAKEN_FROM_SPARE,
  /** A copy whose state is lost is taken for a whole one, of the generation that others have. */
  LOST_STATE_TAKEN_AS_WHOLE,
  /** Nobody tells another which of its openings it has heard of. */
  OPENINGS_NOT_COMPARED,
  /** Which opening a bitmap's file names is not looked at. */
  OPENING_OF_BITMAP_NOT_LOOKED_AT,
  /** The fence command ends with status 0 before the cluster has noted which copies are lost. */
  ANSWERED_BEFORE_FENCE,
  /** The cluster notes that those copies are left behind that are in sync. */
  FENCE_OF_WRONG_SET,
  /** The cluster vouches for a copy that was left behind. */
  VOUCHED_THOUGH_FENCED;

  /**
   * Whether disks tell their holes. Other faults are looked for without: a resync that is done in a
   * few messages leaves less time for what is rare anyway.
   */
  boolean meetsHoles() {
    return this == NONE || this == HOLE_NOT_LOOKED_AT_AGAIN;
  }

  /** Whether a cluster is asked before a copy is left behind. */
  boolean meetsFences() {
    return this == ANSWERED_BEFORE_FENCE
        || this == FENCE_OF_WRONG_SET
        || this == VOUCHED_THOUGH_FENCED;
  }

  /** Whether metadata of an earlier time return; other faults are looked for without. */
  boolean meetsBackups() {
    return this == NONE || this == OPENINGS_NOT_COMPARED || this == OPENING_OF_BITMAP_NOT_LOOKED_AT;
  }
}
