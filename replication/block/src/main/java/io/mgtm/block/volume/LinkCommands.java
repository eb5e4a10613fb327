package io.mgtm.block.volume;

/** What an operator asks of one link, by its number. Called on the core's thread. */
public final class LinkCommands {
  /** Why a primary that goes on without its disk does not do what needs one. */
  public static final String NO_DISK =
      "this side's disk failed; promote a replica, and do it there";

  private final VolumeCore core;

  LinkCommands(VolumeCore core) {
    this.core = core;
  }

  /** Suspends a link until {@link #resume}. */
  public void pause(int link) {
    ReplicaLink one = core.replication().links().get(link);
    core.replication().lose(one, "paused by the operator");
    one.phase = LinkPhase.PAUSED;
    one.reason = "paused by the operator";
  }

  /** Lets a paused link connect again, or a refused one try at once. */
  public void resume(int link) {
    ReplicaLink one = core.replication().links().get(link);
    if (one.phase == LinkPhase.PAUSED || one.phase == LinkPhase.REFUSED) {
      one.phase = LinkPhase.DOWN;
      one.reason = VolumeView.UNTRIED;
    }
  }

  /**
   * Sends all chunks again, where {@code comparing} those whose checksums differ; answers null, or
   * why not.
   */
  public String resync(int link, boolean comparing) {
    ReplicaLink one = core.replication().links().get(link);
    if (core.isDetached()) {
      return NO_DISK;
    }
    if (one.phase != LinkPhase.UP_TO_DATE && one.phase != LinkPhase.SYNCING) {
      return "link "
          + one.config.name()
          + " is "
          + one.phase
          + ", not connected; a resync begins when it is";
    }
    core.replication().meetings().resyncAll(one, comparing);
    return null;
  }

  /** Compares all chunks with a link's replica; answers null, or why not. */
  public String verify(int link, boolean repair) {
    ReplicaLink one = core.replication().links().get(link);
    if (core.isDetached()) {
      return NO_DISK;
    }
    if (one.phase != LinkPhase.UP_TO_DATE) {
      return "link " + one.config.name() + " is " + one.phase + "; a verify needs it up to date";
    }
    if (one.sync.verification().isRunning()) {
      return "link " + one.config.name() + " is being verified already";
    }
    one.sync.beginVerify(repair);
    one.sync.pump();
    return null;
  }
}
