package io.mgtm.block.volume;

import io.mgtm.block.intent.IntentBitmap;
import io.mgtm.block.intent.Opening;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
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
  /** How many other copies one keeps track of; each costs a bitmap. */
  static final int SLOTS_MAX = 32;

  private final VolumeCore core;
  private final VolumeEffects effects;
  private final WritePath path;
  private final StateKeeper states;
  private final List<ReplicaLink> links = new ArrayList<>();
  private final Map<String, ReplicaSlot> slots = new LinkedHashMap<>();
  private final SlotBitmaps bitmaps = new SlotBitmaps(slots.values());
  private final GoingAlone alone;
  private final Heirs heirs;

  /** For how many chunks slots have room: before the state does, when the volume grows. */
  private int chunks;

  Replication(VolumeCore core, VolumeEffects effects, WritePath path, StateKeeper states) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
    alone = new GoingAlone(core, effects, path, states, this);
    heirs = new Heirs(links, states);
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
    Identity self = core.identityFor(target.nodeId());
    boolean copy = Meeting.stranger(self, target) == null;
    String forgot = copy ? core.administration().forgot(target) : null;
    Decision decision =
        forgot == null
            ? Meeting.decide(self, target)
            : new Decision(Outcome.SOURCE_OUTDATED, forgot);
    if (core.isDetached()) {
      decision = new Decision(Outcome.STANDBY, "the source has no disk to send from");
    }
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
                Outcome.UNFIT, "link " + other.config.name() + " already leads to that replica");
        refused(link, twice);
        return twice;
      }
    }
    Decision full = refusalOfSlot(target.nodeId());
    if (full != null) {
      refused(link, full);
      return full;
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
    link.meet(target, copy);
    core.receiver().choice().agreed(target.nodeId());
    boolean compare = link.config.checksumResync() || (all && !target.generations().isEmpty());
    String why = decision.reason();
    Runnable begin = () -> begin(link, target.nodeId(), compare, why);
    enlist(link, slot, all, () -> core.recall().met(link, target, begin));
    return decision;
  }

  /** Why {@code peer} cannot be tracked besides the others, or null. */
  Decision refusalOfSlot(String peer) {
    return slots.containsKey(peer) || slots.size() < SLOTS_MAX
        ? null
        : new Decision(
            Outcome.UNFIT,
            "this copy keeps track of "
                + SLOTS_MAX
                + " others already, the most that it can; make a new copy of the volume in its"
                + " place");
  }

  /**
   * Notes durably that the peer is tracked, and whether every chunk of it may differ, before it is
   * told anything. It takes over no generation before {@link #share}, unless it needs nothing else:
   * a resync that is cut short leaves no generation behind that would have to be remembered.
   */
  private void enlist(ReplicaLink link, ReplicaSlot slot, boolean all, Runnable then) {
    long connection = link.connection();
    Opening heard = link.peer.openings().newest();
    states.update(
        state -> {
          VolumeState.Slot old = state.slots().get(slot.peer);
          boolean full = all || old == null || old.full();
          boolean equal = !full && slot.outOfSync.isEmpty();
          long before = old == null ? 0 : old.sharedGeneration();
          long shared = equal ? state.generations().current() : before;
          VolumeState.Slot known = new VolumeState.Slot(shared, full, state.heardOf(slot.peer));
          return state.withSlot(slot.peer, known.withHeard(heard));
        },
        () -> {
          slot.shared = states.current().slots().get(slot.peer).sharedGeneration();
          if (link.connection() == connection) {
            then.run();
          }
        });
  }

  /** All was sent. Notes durably that the peer may take over the generation, before it is told. */
  void share(ReplicaLink link) {
    ReplicaSlot slot = link.slot;
    long connection = link.connection();
    long run = link.syncRun;
    states.update(
        state ->
            state.withSlot(
                slot.peer, state.slots().get(slot.peer).withShared(state.generations().current())),
        () -> {
          slot.shared = states.current().slots().get(slot.peer).sharedGeneration();
          if (link.connection() != connection || link.syncRun != run) {
            return;
          }
          if (slot.outOfSync.isEmpty()) {
            link.finish();
          } else {
            link.start(slot, false);
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
    boolean alarming =
        decision.outcome() == Outcome.SPLIT_BRAIN && !core.administration().isSplit();
    link.reason = decision.reason();
    link.reached |= decision.outcome().isOfACopy();
    link.refusal = decision.outcome();
    if (decision.outcome() == Outcome.SOURCE_OUTDATED) {
      core.administration().superseded("link " + link.config.name() + ": " + decision.reason());
    }
    if (decision.outcome() == Outcome.STANDBY) {
      link.phase = LinkPhase.DOWN;
    } else {
      String line = "link " + link.config.name() + " refused: " + decision.reason();
      if (alarming) {
        effects.alarm(line);
      } else if (!decision.reason().equals(link.lastRefusal)) {
        effects.notice(line);
      }
      link.lastRefusal = decision.reason();
      link.phase = LinkPhase.REFUSED;
    }
  }

  /** After an overflow the queue is empty: what was noted in the bitmap is sent. */
  void resumeBehind(ReplicaLink link) {
    ReplicaSlot slot = link.slot;
    enlist(
        link,
        slot,
        false,
        () -> begin(link, slot.peer, link.config.checksumResync(), "the queue had overflowed"));
  }

  /** Every chunk is sent, or compared and sent where it differs. */
  void resyncAll(ReplicaLink link, boolean comparing) {
    ReplicaSlot slot = link.slot;
    enlist(
        link,
        slot,
        true,
        () -> {
          if (link.isStreaming()) {
            slot.outOfSync.fill();
            begin(link, slot.peer, comparing, "asked for by the operator");
          }
        });
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

  // Losing.

  void lose(ReplicaLink link, String reason) {
    boolean aloneAtOnce = core.isPrimary() && !core.fencing().isRequired();
    if (link.isAttached() && core.isAccepting() && aloneAtOnce) {
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
