package io.mgtm.block.volume;

import io.mgtm.block.resync.Progress;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.PrimitiveIterator;
import java.util.stream.IntStream;

/**
 * A volume's links and slots as they are now, for status and metrics. Called on the core's thread.
 */
public final class VolumeView {
  /**
   * One link.
   *
   * @param name the link's name
   * @param mode its mode
   * @param phase where it stands
   * @param inSync whether the replica has everything that was answered, and will
   * @param reason why it stands there, or empty
   * @param reached whether another copy of this volume answered since this side started
   * @param refusal how the last meeting was refused, or null
   * @param source whether this side follows the peer, which dials itself
   * @param lastLoss why the link was suspended last, or empty
   * @param peer the replica's node id, or empty before the first meeting
   * @param bitsSet chunks whose bits are set
   * @param chunksOutOfSync chunks that must be sent
   * @param queuedBytes bytes sent and not acknowledged
   * @param resync what a resync did, or null
   * @param verify what a verify did, or null
   */
  public record Link(
      String name,
      LinkMode mode,
      LinkPhase phase,
      boolean inSync,
      String reason,
      boolean reached,
      Outcome refusal,
      boolean source,
      String lastLoss,
      String peer,
      int bitsSet,
      int chunksOutOfSync,
      long queuedBytes,
      Work resync,
      Work verify) {}

  /**
   * A resync or verify.
   *
   * @param running whether it is under way
   * @param doneBytes bytes sent or found equal
   * @param totalBytes bytes in all
   * @param bytesPerSecond the rate
   * @param remainingMs time left, -1 when unknown
   * @param chunksSent chunks sent
   * @param chunksEqual chunks found equal
   * @param mismatches chunks a verify found different
   * @param repaired whether they were sent since
   * @param differing where they are, the first ones
   */
  public record Work(
      boolean running,
      long doneBytes,
      long totalBytes,
      long bytesPerSecond,
      long remainingMs,
      int chunksSent,
      int chunksEqual,
      long mismatches,
      boolean repaired,
      List<Range> differing) {}

  /**
   * A part of the volume.
   *
   * @param offset where it begins, in bytes
   * @param length how many bytes it has
   */
  public record Range(long offset, long length) {}

  /** Why a link is down that was not dialled yet. */
  public static final String UNTRIED = "not connected yet";

  private static final int RANGES_MAX = 16;

  private final VolumeCore core;
  private final Replication replication;

  VolumeView(VolumeCore core, Replication replication) {
    this.core = core;
    this.replication = replication;
  }

  /** The links in the order of their numbers. */
  public List<Link> links() {
    List<Link> views = new ArrayList<>();
    for (ReplicaLink link : replication.links()) {
      views.add(view(link));
    }
    return views;
  }

  /** One link. */
  public Link link(int index) {
    return view(replication.links().get(index));
  }

  private Link view(ReplicaLink link) {
    ReplicaSlot slot = slotOf(link);
    LinkSync sync = link.sync;
    Verification verification = sync.verification();
    return new Link(
        link.config.name(),
        link.config.mode(),
        link.phase,
        core.isPrimary() && replication.heirs().hasEverything(link),
        link.reason,
        link.reached,
        link.refusal,
        isSource(link),
        link.lastLoss,
        link.peer == null ? "" : link.peer.nodeId(),
        slot == null ? 0 : slot.bitmap.cardinality(),
        slot == null ? 0 : slot.outOfSync.cardinality(),
        link.queuedBytes(),
        work(
            sync.progress(),
            link.phase == LinkPhase.SYNCING,
            sync.chunksSent(),
            sync.chunksEqual(),
            0,
            false,
            List.of()),
        work(
            verification.progress(),
            verification.isRunning(),
            0,
            0,
            verification.mismatches(),
            verification.isRepaired(),
            sync.differing(RANGES_MAX)));
  }

  private boolean isSource(ReplicaLink link) {
    Receiver receiver = core.receiver();
    return link.phase == LinkPhase.DOWN
        && receiver.isConnected()
        && receiver.source().nodeId().equals(link.refusedBy);
  }

  /** A link's slot; before it has met its replica, the only one that there is. */
  private ReplicaSlot slotOf(ReplicaLink link) {
    boolean only = replication.links().size() == 1 && replication.slots().size() == 1;
    return link.slot == null && only ? replication.slots().values().iterator().next() : link.slot;
  }

  private Work work(
      Progress progress,
      boolean running,
      int sent,
      int equal,
      long mismatches,
      boolean repaired,
      List<Range> differing) {
    if (progress == null) {
      return null;
    }
    long now = core.nowMs();
    return new Work(
        running,
        progress.doneBytes(),
        progress.totalBytes(),
        running ? (long) progress.bytesPerSecond(now) : 0,
        running ? progress.remainingMs(now) : 0,
        sent,
        equal,
        mismatches,
        repaired,
        differing);
  }

  /** The chunks that this side changed, or may have, since it equalled {@code peer}. */
  public PrimitiveIterator.OfInt changedSince(String peer) {
    ReplicaSlot slot = replication.slots().get(peer);
    if (slot == null) {
      return IntStream.empty().iterator();
    }
    return IntStream.iterate(slot.outOfSync.next(0), c -> c >= 0, c -> slot.outOfSync.next(c + 1))
        .iterator();
  }

  /** Whether writers are slowed because a queue passed high water. */
  public boolean isThrottled() {
    return core.isThrottled();
  }
}
