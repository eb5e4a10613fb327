package io.mgtm.block.volume;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.intent.Opening;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

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
  private final GoingAlone alone;
  private final Heirs heirs;
  private final LinkMeetings meetings;

  /** For how many chunks slots have room: before the state does, when the volume grows. */
  private int chunks;

  Replication(VolumeCore core, VolumeEffects effects, WritePath path, StateKeeper states) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
    alone = new GoingAlone(core, effects, path, states, this);
    heirs = new Heirs(links, states);
    meetings = new LinkMeetings(core, effects, states, this);
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

  /** How links come to have a replica. */
  LinkMeetings meetings() {
    return meetings;
  }

  /** A slot for a peer that was not tracked: all of it may differ. */
  ReplicaSlot newSlot(String peer) {
    addSlot(peer, new IntentBitmap(chunks), true);
    return slots.get(peer);
  }

  void addSlot(String peer, IntentBitmap bitmap, boolean full) {
    slots.put(
        peer, new ReplicaSlot(peer, states.current().chunkBytes(), core.timing(), bitmap, full));
  }

  /** What becomes of requests when a replica is lost. */
  GoingAlone alone() {
    return alone;
  }

  ReplicaLink addLink(LinkConfig config) {
    ReplicaLink link = new ReplicaLink(links.size(), config, core);
    links.add(link);
    return link;
  }

  // A change on its way.

  private boolean concerns(ReplicaSlot slot, Change change) {
    return !change.fromUpstream || !slot.peer.equals(core.receiver().sourceNode());
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

  void synced(ReplicaLink link) {
    ReplicaSlot slot = link.slot;
    effects.notice("link " + link.config.name() + ": up to date");
    link.fenced = false;
    alone.revise();
    if (states.current().slots().get(slot.peer).full()) {
      long connection = link.connection();
      states.update(
          state -> {
            VolumeState.Slot old = state.slots().get(slot.peer);
            boolean still = link.connection() == connection && link.phase == LinkPhase.UP_TO_DATE;
            return state.withSlot(slot.peer, old.withFull(old.full() && !still));
          },
          () -> {});
    }
  }

  /** Ends the throttling once every link is below low water. */
  void unthrottle() {
    if (path.isThrottled()
        && links.stream()
            .noneMatch(
                link -> link.isAttached() && link.queuedBytes() > link.config.lowWaterBytes())) {
      path.unthrottle();
    }
  }

  // Losing.

  void lose(ReplicaLink link, String reason) {
    boolean aloneAtOnce = core.isPrimary() && !core.fencing().isRequired();
    if (link.isAttached() && core.administration().isAccepting() && aloneAtOnce) {
      effects.sendOutdated(link.index);
    }
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
    core.detachment().lost(link);
    core.recall().lost(link);
    alone.revise();
    alone.releaseOrphans();
    path.unthrottle();
  }

  // Following a source.

  /** This side equals the source: it takes over the source's history, and tells it on. */
  void adopt(Generations generations, Identity source, Runnable then) {
    states.update(
        state -> {
          Generations kept =
              state.discard()
                  ? generations
                  : generations.keeping(state.generations(), state.sharedGenerations());
          VolumeState following =
              state
                  .withGenerations(kept)
                  .withConsistency(true, "")
                  .withRole(state.role(), false)
                  .withStanding(
                      state.standing().following(source.volumeId(), effects.wallClockMs()));
          return alone
              .shared(following)
              .withSlot(
                  source.nodeId(),
                  new VolumeState.Slot(generations.current(), false, state.heardOf(source.nodeId()))
                      .withHeard(source.openings().newest()));
        },
        () -> {
          if (slots.containsKey(source.nodeId())) {
            slots.get(source.nodeId()).reset();
          } else {
            addSlot(source.nodeId(), new IntentBitmap(chunks), false);
          }
          alone.spreadGenerations();
          then.run();
        });
  }

  /** A resync from the source is about to change this side piece by piece. */
  void becomeInconsistent(String sourceNode, Opening heard, Runnable then) {
    core.loseAll("this side is being resynchronized itself");
    states.update(
        state ->
            state.role() == Role.PRIMARY
                ? state
                : state
                    .withHeard(sourceNode, heard)
                    .withConsistency(false, sourceNode)
                    .withStanding(state.standing().asHandedOver()),
        then);
  }

  /** Who may go on where this side ends. */
  Heirs heirs() {
    return heirs;
  }

  // Marks.

  void markFlushed(Change mark, boolean succeeded) {
    links.get(mark.link).mark.flushedHere(mark.session, succeeded);
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
