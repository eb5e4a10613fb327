package io.mgtm.block.volume;

import io.mgtm.block.intent.Opening;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import java.util.PrimitiveIterator;

/**
 * How a link comes to have a replica: what is decided when a target introduces itself, what is
 * noted durably before it is told anything, and the begin of its resync.
 */
final class LinkMeetings {
  /** How many other copies one keeps track of; each costs a bitmap. */
  static final int SLOTS_MAX = 32;

  private final VolumeCore core;
  private final VolumeEffects effects;
  private final StateKeeper states;
  private final Replication replication;

  LinkMeetings(
      VolumeCore core, VolumeEffects effects, StateKeeper states, Replication replication) {
    this.core = core;
    this.effects = effects;
    this.states = states;
    this.replication = replication;
  }

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
    for (ReplicaLink other : replication.links()) {
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
    ReplicaSlot slot = replication.slots().get(target.nodeId());
    if (slot == null) {
      slot = replication.newSlot(target.nodeId());
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
    return replication.slots().containsKey(peer) || replication.slots().size() < SLOTS_MAX
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
    ReplicaSlot slot = replication.slots().get(peer);
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
}
