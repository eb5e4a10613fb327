package io.mgtm.block.volume;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PrimitiveIterator;

/**
 * All links and slots of a volume: what a change means to each of them, meeting, losing, and the
 * generations between.
 */
final class Replication {
  private final VolumeCore core;
  private final VolumeEffects effects;
  private final WritePath path;
  private final StateKeeper states;
  private final List<ReplicaLink> links = new ArrayList<>();
  private final Map<String, ReplicaSlot> slots = new LinkedHashMap<>();
  private final SlotBitmaps bitmaps = new SlotBitmaps(slots.values());
  private final ArrayDeque<Change> orphans = new ArrayDeque<>();
  private boolean renewing;

  /** For how many chunks slots have room: before the state does, when the volume grows. */
  private int chunks;

  Replication(VolumeCore core, VolumeEffects effects, WritePath path, StateKeeper states) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
    chunks = states.current().chunks();
  }

  List<ReplicaLink> links() {
    return links;
  }

  Map<String, ReplicaSlot> slots() {
    return slots;
  }

  SlotBitmaps bitmaps() {
    return bitmaps;
  }

  void addSlot(String peer, IntentBitmap bitmap, boolean full) {
    slots.put(
        peer, new ReplicaSlot(peer, states.current().chunkBytes(), core.timing(), bitmap, full));
  }

  ReplicaLink addLink(LinkConfig config) {
    ReplicaLink link = new ReplicaLink(links.size(), config, core);
    links.add(link);
    return link;
  }

  // A change on its way.

  private boolean concerns(ReplicaSlot slot, Change change) {
    return !change.fromUpstream || !slot.peer.equals(core.upstreamPeer());
  }

  boolean markIntent(Change change) {
    boolean durable = true;
    for (ReplicaSlot slot : slots.values()) {
      if (concerns(slot, change)) {
        durable &= slot.markIntent(change);
      }
    }
    return durable;
  }

  void touch(Change change) {
    for (ReplicaSlot slot : slots.values()) {
      if (concerns(slot, change)) {
        slot.touch(change);
      }
    }
  }

  void offer(Change change) {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).offer(change);
    }
  }

  void offerFlush(Change flush) {
    for (int i = 0; i < links.size(); i++) {
      links.get(i).offerFlush(flush);
    }
  }

  /** The local write failed: the replicas may have it, this side may not. */
  void spoil(Change change, int errno) {
    for (ReplicaSlot slot : slots.values()) {
      slot.spoil(change);
    }
    for (ReplicaLink link : links) {
      if (link.isAttached()) {
        lose(link, "a local write failed with error " + errno + "; the replica is resynchronized");
      }
    }
  }

  // Meeting.

  /**
   * A target introduced itself.
   *
   * @param peerChunks the chunks that the target changed by itself since the two were equal
   */
  Decision met(ReplicaLink link, Identity target, PrimitiveIterator.OfInt peerChunks) {
    Decision decision = Meeting.decide(states.current().identityFor(target.nodeId()), target);
    if (!decision.accepted()) {
      refused(link, decision);
      return decision;
    }
    for (ReplicaLink other : links) {
      if (other != link
          && other.peer != null
          && other.isAttached()
          && other.peer.nodeId().equals(target.nodeId())) {
        Decision twice =
            new Decision(
                Outcome.MISMATCH, "link " + other.config.name() + " already leads to that replica");
        refused(link, twice);
        return twice;
      }
    }
    boolean all = decision.outcome() == Outcome.ALL_CHUNKS;
    ReplicaSlot slot = slots.get(target.nodeId());
    if (slot == null) {
      addSlot(target.nodeId(), new IntentBitmap(chunks), true);
      slot = slots.get(target.nodeId());
    } else if (all) {
      slot.outOfSync.fill();
    }
    while (peerChunks.hasNext()) {
      slot.chunkDiffers(peerChunks.nextInt());
    }
    link.meet(target);
    boolean compare = link.config.checksumResync() || (all && !target.generations().isEmpty());
    String why = decision.reason();
    share(link, slot, all, () -> begin(link, target.nodeId(), compare, why));
    return decision;
  }

  /** Notes durably that the peer may take over the present generation, before it is told. */
  private void share(ReplicaLink link, ReplicaSlot slot, boolean all, Runnable then) {
    long connection = link.connection();
    states.update(
        state -> {
          VolumeState.Slot old = state.slots().get(slot.peer);
          boolean full = all || old == null || old.full();
          return state.withSlot(
              slot.peer, new VolumeState.Slot(state.generations().current(), full));
        },
        () -> {
          slot.shared = states.current().slots().get(slot.peer).sharedGeneration();
          if (link.connection() == connection) {
            then.run();
          }
        });
  }

  private void begin(ReplicaLink link, String peer, boolean compare, String why) {
    ReplicaSlot slot = slots.get(peer);
    effects.notice(
        "link "
            + link.config.name()
            + ": connected to "
            + peer
            + ", "
            + slot.outOfSync.cardinality()
            + " chunks to send: "
            + why);
    link.start(slot, compare);
    link.sync.pump();
  }

  void refused(ReplicaLink link, Decision decision) {
    link.reason = decision.reason();
    link.outdated = decision.outcome() == Outcome.SOURCE_OUTDATED;
    if (decision.outcome() == Outcome.STANDBY) {
      link.phase = LinkPhase.DOWN;
    } else {
      if (link.phase != LinkPhase.REFUSED) {
        effects.notice("link " + link.config.name() + " refused: " + decision.reason());
      }
      link.phase = LinkPhase.REFUSED;
    }
  }

  /** After an overflow the queue is empty: what was noted in the bitmap is sent. */
  void resumeBehind(ReplicaLink link) {
    ReplicaSlot slot = link.slot;
    share(
        link,
        slot,
        false,
        () -> begin(link, slot.peer, link.config.checksumResync(), "the queue had overflowed"));
  }

  /** Every chunk is compared and sent where it differs. */
  void resyncAll(ReplicaLink link) {
    ReplicaSlot slot = link.slot;
    share(
        link,
        slot,
        true,
        () -> {
          if (link.isStreaming()) {
            slot.outOfSync.fill();
            begin(link, slot.peer, true, "asked for by the operator");
          }
        });
  }

  void synced(ReplicaLink link) {
    ReplicaSlot slot = link.slot;
    effects.notice("link " + link.config.name() + ": up to date");
    if (states.current().slots().get(slot.peer).full()) {
      long connection = link.connection();
      states.update(
          state -> {
            VolumeState.Slot old = state.slots().get(slot.peer);
            boolean still = link.connection() == connection && link.phase == LinkPhase.UP_TO_DATE;
            return state.withSlot(
                slot.peer, new VolumeState.Slot(old.sharedGeneration(), old.full() && !still));
          },
          () -> {});
    }
  }

  // Losing.

  void lose(ReplicaLink link, String reason) {
    effects.disconnect(link.index, reason);
    lost(link, reason);
  }

  void lost(ReplicaLink link, String reason) {
    if (link.phase == LinkPhase.DOWN) {
      // It had not met: the reason is for status only.
      link.reason = reason;
      return;
    }
    if (link.phase == LinkPhase.PAUSED || link.phase == LinkPhase.REFUSED) {
      return;
    }
    effects.notice("link " + link.config.name() + " suspended: " + reason);
    link.lost(reason);
    releaseOrphans();
    path.unthrottle();
  }

  /** A change waited for a link that is lost. */
  void abandoned(Change change) {
    orphans.add(change);
  }

  /**
   * A change that was admitted while a replica was there, and starts now that it is gone, is not
   * answered in the generation that the replica knows.
   */
  void holdWhileAlone(Change change) {
    if (!change.fromUpstream && needsGeneration()) {
      change.waits++;
      abandoned(change);
      releaseOrphans();
    }
  }

  private void releaseOrphans() {
    if (orphans.isEmpty()) {
      return;
    }
    if (needsGeneration()) {
      beginGeneration();
      return;
    }
    if (!renewing) {
      for (Change change = orphans.poll(); change != null; change = orphans.poll()) {
        path.release(change);
      }
    }
  }

  // Generations.

  /**
   * Whether answering a client now would mean to go on without a replica that could be promoted
   * with our generation.
   */
  boolean needsGeneration() {
    if (slots.isEmpty() || states.current().role() != Role.PRIMARY) {
      return false;
    }
    long current = states.current().generations().current();
    for (ReplicaSlot slot : slots.values()) {
      if (slot.shared == current && !isAttached(slot)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAttached(ReplicaSlot slot) {
    for (int i = 0; i < links.size(); i++) {
      ReplicaLink link = links.get(i);
      if (link.slot == slot && link.isAttached()) {
        return true;
      }
    }
    return false;
  }

  void beginGeneration() {
    if (renewing) {
      return;
    }
    renewing = true;
    path.freeze();
    long id = effects.newGeneration();
    states.update(state -> withGeneration(state, id), this::generationBegun);
  }

  /** A newer generation, which the replicas that are attached may take over. */
  VolumeState withGeneration(VolumeState state, long id) {
    return shared(state.withGenerations(state.generations().with(id)));
  }

  /** Notes that the attached replicas may take over the history of {@code state}. */
  private VolumeState shared(VolumeState state) {
    VolumeState newer = state;
    for (ReplicaLink link : links) {
      if (link.isStreaming()) {
        VolumeState.Slot old = newer.slots().get(link.slot.peer);
        newer =
            newer.withSlot(
                link.slot.peer, new VolumeState.Slot(state.generations().current(), old.full()));
      }
    }
    return newer;
  }

  private void generationBegun() {
    renewing = false;
    effects.notice("goes on alone in generation " + states.current().generations());
    spreadGenerations();
    if (needsGeneration()) {
      beginGeneration();
      return;
    }
    releaseOrphans();
    path.unfreeze();
  }

  /** Tells the attached replicas the present history. */
  void spreadGenerations() {
    for (ReplicaSlot slot : slots.values()) {
      VolumeState.Slot known = states.current().slots().get(slot.peer);
      slot.shared = known == null ? 0 : known.sharedGeneration();
    }
    for (ReplicaLink link : links) {
      if (link.isStreaming() && link.slot.shared == states.current().generations().current()) {
        link.sendGenerations(states.current().generations());
      }
    }
  }

  // Following a source.

  /** This side equals the source: it takes over the source's history, and tells it on. */
  void adopt(Generations generations, String sourceNode, Runnable then) {
    states.update(
        state ->
            shared(
                    state
                        .withGenerations(generations)
                        .withConsistency(true, "")
                        .withRole(state.role(), false))
                .withSlot(sourceNode, new VolumeState.Slot(generations.current(), false)),
        () -> {
          if (slots.containsKey(sourceNode)) {
            slots.get(sourceNode).reset();
          } else {
            addSlot(sourceNode, new IntentBitmap(chunks), false);
          }
          spreadGenerations();
          then.run();
        });
  }

  /** A resync from the source is about to change this side piece by piece. */
  void becomeInconsistent(String sourceNode, Runnable then) {
    core.loseAll("this side is being resynchronized itself");
    states.update(state -> state.withConsistency(false, sourceNode), then);
  }

  // Marks.

  void markFlushed(Change mark, boolean succeeded) {
    links.get(mark.link).markFlushed(mark.session, succeeded);
  }

  void tick(boolean age) {
    for (ReplicaSlot slot : slots.values()) {
      if (age) {
        slot.age();
      }
    }
  }

  /** The slots have room for more chunks, before the state does. */
  void grow(int newChunks) {
    chunks = newChunks;
    for (ReplicaSlot slot : slots.values()) {
      slot.grow(newChunks);
    }
  }

  /**
   * The new size is in force. A replica that cannot be told now would get changes past its end: it
   * meets again, and is told that its size does not fit.
   */
  void grown(long sizeBytes) {
    for (ReplicaLink link : links) {
      if (link.isStreaming()) {
        link.grown(sizeBytes);
      } else if (link.phase == LinkPhase.MEETING || link.phase == LinkPhase.BEHIND) {
        lose(link, "the volume has grown meanwhile");
      }
    }
  }
}
