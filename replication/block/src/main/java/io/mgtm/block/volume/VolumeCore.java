package io.mgtm.block.volume;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.volume.Change.Kind;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PrimitiveIterator;

/**
 * The core of one volume: takes requests, and the outcomes of what it asked for through {@link
 * VolumeEffects}. Called by one thread; nothing here blocks, reads a clock or draws a random
 * number.
 */
public final class VolumeCore {
  private final VolumeEffects effects;
  private final StateKeeper states;
  private final WritePath path;
  private final Replication replication;
  private final Receiver receiver;
  private final CoreTiming timing;
  private final Administration administration;
  private final Detachment detachment;
  private final Recall recall;
  private boolean changedSinceTick;
  private long nowMs;
  private long nextMarkMs;
  private long nextAgeMs;

  /**
   * A core in {@code state} with the bitmaps as their files hold them.
   *
   * @param bitmaps by peer, one for each slot of the state; that of a slot whose bits were lost is
   *     empty, and the slot {@code full}, on stable storage
   */
  public VolumeCore(
      VolumeState state,
      Map<String, IntentBitmap> bitmaps,
      CoreTiming timing,
      VolumeEffects effects) {
    this.effects = effects;
    this.timing = timing;
    states = new StateKeeper(state, effects);
    path = new WritePath(this, effects);
    replication = new Replication(this, effects, path, states);
    detachment = new Detachment(this, effects, path, states, replication);
    recall = new Recall(this, effects, path, states);
    receiver = new Receiver(this, states, effects);
    administration = new Administration(this, states, path, effects);
    state
        .slots()
        .forEach(
            (peer, slot) -> {
              IntentBitmap bitmap = bitmaps.get(peer);
              if (bitmap == null) {
                throw new IllegalArgumentException("no bitmap for node " + peer);
              }
              replication.addSlot(peer, bitmap, slot.full());
              replication.slots().get(peer).shared = slot.sharedGeneration();
            });
  }

  // Requests.

  /**
   * Takes a client's request or an upstream's change, whose range was checked against the size.
   * Answered by {@link VolumeEffects#complete}, perhaps before this returns.
   */
  public void submit(Change change) {
    boolean allowed = change.fromUpstream != isPrimary();
    if (!allowed || (!administration.isAccepting() && !change.fromUpstream)) {
      change.errno = allowed ? Errno.ESHUTDOWN : Errno.EPERM;
      completed(change);
      return;
    }
    changedSinceTick |= change.changesBytes();
    path.submit(change);
  }

  /**
   * A client reads while this side has no disk, see {@link #isDetached}; answered by {@link
   * VolumeEffects#readDone}, perhaps before this returns.
   */
  public void read(long offset, int length, Object context) {
    detachment.read(offset, length, context);
  }

  /** A client's read of this side's disk failed with {@code errno}. */
  public void localReadFailed(int errno) {
    detachment.begin("this side's disk failed to read, error " + errno);
  }

  /** The local write, zeroing or range read asked for is done; {@code errno} is 0 on success. */
  public void localDone(Change change, int errno) {
    path.localDone(change, errno);
    settle();
  }

  /**
   * The chunk asked for was read.
   *
   * @param data the bytes, which the core sends or gives back; null when the read failed
   * @param zero whether all bytes are zero
   * @param checksum their checksum where it was wanted, else null
   */
  public void chunkRead(Change read, Object data, boolean zero, Object checksum, int errno) {
    ReplicaLink link = replication.links().get(read.link);
    if (link.session != read.session || errno != Errno.OK) {
      if (data != null) {
        effects.discard(data);
      }
      String why = "chunk at " + read.offset + " cannot be read, error " + errno;
      if (link.session == read.session && !detachment.begin(why)) {
        replication.lose(link, why);
      }
      path.readDone(read);
      return;
    }
    link.sync.chunkRead(read, data, zero, checksum);
    path.readDone(read);
    link.sync.pump();
  }

  /** The flush asked for is done. */
  public void localFlushed(int errno) {
    path.localFlushed(errno);
    settle();
  }

  /** The bitmaps asked for are written. */
  public void bitsPersisted(boolean succeeded) {
    path.bitsPersisted(succeeded);
    settle();
  }

  /**
   * The state asked for is written; a failed write is tried again at the next tick, and who waits
   * for it is told at once.
   */
  public void statePersisted(boolean succeeded) {
    states.persisted(succeeded);
    if (!succeeded) {
      receiver.close("this side cannot write its metadata; give it room");
      path.refuseHeld(Errno.EIO);
      replication.alone().refuseOrphans(Errno.EIO);
      detachment.notWritten();
    }
    settle();
  }

  /**
   * Time passes. Called often: every few milliseconds during a resync, at least ten times a second
   * otherwise.
   */
  public void tick(long now) {
    nowMs = now;
    boolean mark = now >= nextMarkMs || administration.isRetiring();
    boolean age = now >= nextAgeMs;
    nextMarkMs = mark ? now + timing.markIntervalMs() : nextMarkMs;
    nextAgeMs = age ? now + timing.bitCoolingMs() : nextAgeMs;
    for (ReplicaLink link : replication.links()) {
      if (changedSinceTick) {
        link.sync.pace().clientsBusy(now);
      }
      link.sync.pace().tick(now);
      link.sync.pump();
      if (mark) {
        link.mark.beginIfNeeded();
      }
    }
    changedSinceTick = false;
    replication.alone().revise();
    replication.tick(age);
    if (mark) {
      states.retry();
      path.writeStaleBits();
    }
    settle();
  }

  /** Which copies must be fenced before this side goes on without them. */
  public Fencing fencing() {
    return replication.alone().fencing();
  }

  /** What this side's disk may have lost before its start. */
  public Recall recall() {
    return recall;
  }

  // Links: events of the source's side.

  /** Adds a link; its number is the one used in effects and events. */
  public int addLink(LinkConfig config) {
    return replication.addLink(config).index;
  }

  /** Whether the link should be connected now if it is not. */
  public boolean wantsConnection(int link) {
    ReplicaLink one = replication.links().get(link);
    if (one.phase != LinkPhase.DOWN && one.phase != LinkPhase.REFUSED) {
      return false;
    }
    if (!administration.isAccepting() || !state().consistent() || isDetached()) {
      return false;
    }
    return state().role() == Role.PRIMARY || receiver.isConnected();
  }

  /**
   * The target of a new connection introduced itself and told which chunks it changed; answers how
   * it goes on.
   */
  public Decision linkMet(int link, Identity target, PrimitiveIterator.OfInt peerChunks) {
    return replication.meetings().met(replication.links().get(link), target, peerChunks);
  }

  /** The target, if it tells which {@code node} it is, refused the connection. */
  public void linkRefused(int link, Outcome outcome, String reason, String node) {
    replication
        .meetings()
        .refused(replication.links().get(link).by(node), new Decision(outcome, reason));
  }

  /** The target acknowledged up to three sequence numbers. */
  public void linkAcked(int link, long received, long written, long durable) {
    ReplicaLink one = replication.links().get(link);
    one.acked(received, written, durable);
    one.sync.pump();
    settle();
  }

  /** The target answered a checksum request. */
  public void linkChecksum(int link, long seq, Object checksum) {
    replication.links().get(link).sync.compared(seq, checksum);
  }

  /** The target sent what a client wants to read: {@code length} bytes of {@code data}. */
  public void linkRead(int link, long seq, Object data, int length) {
    detachment.readCame(replication.links().get(link), seq, data, length);
    settle();
  }

  /** The connection broke. */
  public void linkLost(int link, String reason) {
    replication.lost(replication.links().get(link), reason);
    settle();
  }

  /** How good this copy's bytes are. */
  public DiskState diskState() {
    VolumeState state = state();
    if (isDetached()) {
      return DiskState.DISKLESS;
    }
    if (!state.consistent() || state.generations().isEmpty()) {
      return DiskState.INCONSISTENT;
    }
    if (state.role() == Role.PRIMARY || receiver.isFollowingPrimary()) {
      return DiskState.UP_TO_DATE;
    }
    if (state.standing().outdated()) {
      return DiskState.OUTDATED;
    }
    return state.standing().newest() ? DiskState.UP_TO_DATE : DiskState.CONSISTENT;
  }

  // What the parts of the core ask each other.

  /** The state in force. */
  public VolumeState state() {
    return states.current();
  }

  /** Whether this side serves clients, or would: it is primary, with its disk or without. */
  public boolean isPrimary() {
    return isDetached() || state().role() == Role.PRIMARY;
  }

  /** Whether this side goes on without its own disk, through its replicas. */
  public boolean isDetached() {
    return detachment.isOn();
  }

  /** What this side tells {@code peer}, or whoever it is when that is an empty string. */
  public Identity identityFor(String peer) {
    Identity identity = state().identityFor(peer);
    return isDetached() ? identity.asPrimary() : identity;
  }

  /** What an operator may ask for. */
  public Administration administration() {
    return administration;
  }

  private void settle() {
    administration.settle();
  }

  /** The receiving side. */
  public Receiver receiver() {
    return receiver;
  }

  /** Links and slots as they are, for status. */
  public VolumeView view() {
    return new VolumeView(this, replication);
  }

  /** The bitmaps by peer, for {@link VolumeEffects#persistBits}. */
  public Map<String, IntentBitmap> bitmaps() {
    Map<String, IntentBitmap> bitmaps = new LinkedHashMap<>();
    replication.slots().forEach((peer, slot) -> bitmaps.put(peer, slot.bitmap));
    return bitmaps;
  }

  Replication replication() {
    return replication;
  }

  Detachment detachment() {
    return detachment;
  }

  VolumeEffects effects() {
    return effects;
  }

  CoreTiming timing() {
    return timing;
  }

  /** Whether what the volume must remember cannot be written down. */
  boolean isStateFailing() {
    return states.isFailing();
  }

  boolean isThrottled() {
    return path.isThrottled();
  }

  long nowMs() {
    return nowMs;
  }

  int chunkLength(int chunk) {
    long offset = (long) chunk * state().chunkBytes();
    return (int) Math.min(state().chunkBytes(), state().sizeBytes() - offset);
  }

  void submitRead(Change read) {
    path.enqueue(read);
  }

  void release(Change change) {
    path.release(change);
  }

  void completed(Change change) {
    int errno = change.errno;
    if (errno == Errno.OK && administration.isSuperseded() && !change.fromUpstream) {
      errno = Errno.ESHUTDOWN;
    }
    if (change.fromUpstream) {
      receiver.completed(change, errno);
    }
    effects.complete(change, errno);
  }

  void abandoned(Change change) {
    replication.alone().abandoned(change);
  }

  void loseAll(String reason) {
    for (ReplicaLink link : replication.links()) {
      if (link.phase != LinkPhase.PAUSED) {
        replication.lose(link, reason);
        link.phase = LinkPhase.DOWN;
      }
    }
  }

  void loseLink(ReplicaLink link, String reason) {
    replication.lose(link, reason);
  }

  void throttle() {
    path.throttle();
  }

  void beginMark(ReplicaLink link) {
    Change mark = new Change().internal(Kind.MARK, 0, 0);
    mark.link = link.index;
    mark.session = link.session;
    path.beginMark(mark);
  }
}
