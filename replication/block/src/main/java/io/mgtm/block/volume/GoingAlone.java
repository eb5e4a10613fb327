package io.mgtm.block.volume;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Going on without a replica: requests that waited for it, or that come then, are answered only in
 * a generation that it does not know, once that is on this side's disk and on those of the replicas
 * that are left; and where that is required, once it is fenced.
 */
final class GoingAlone {
  private final VolumeCore core;
  private final VolumeEffects effects;
  private final WritePath path;
  private final StateKeeper states;
  private final Replication replication;
  private final Fencing fencing;
  private final ArrayDeque<Change> orphans = new ArrayDeque<>();

  /** Whether everything waits until this side may go on, in a new generation if need be. */
  private boolean stopped;

  /** Whether a generation is to begin though no replica needs it. */
  private boolean insisting;

  private int unaware;

  GoingAlone(
      VolumeCore core,
      VolumeEffects effects,
      WritePath path,
      StateKeeper states,
      Replication replication) {
    this.core = core;
    this.effects = effects;
    this.path = path;
    this.states = states;
    this.replication = replication;
    fencing = new Fencing(core, effects, replication);
  }

  Fencing fencing() {
    return fencing;
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
    if (!change.fromUpstream && change.whenDone == null && mustWait()) {
      change.waits++;
      abandoned(change);
      releaseOrphans();
    }
  }

  void releaseOrphans() {
    if (orphans.isEmpty()) {
      return;
    }
    if (!core.administration().isAccepting() && fencing.isOwed()) {
      // This side ends its service, and waits for nobody who may never answer.
      refuseOrphans(Errno.ESHUTDOWN);
      return;
    }
    if (mustWait()) {
      begin();
      return;
    }
    if (!stopped) {
      for (Change change = orphans.poll(); change != null; change = orphans.poll()) {
        path.release(change);
      }
    }
  }

  /** What waits to be answered without a replica is answered with an error. */
  void refuseOrphans(int errno) {
    for (Change change = orphans.poll(); change != null; change = orphans.poll()) {
      change.errno = errno;
      path.release(change);
    }
  }

  /** Whether a client cannot be answered as things stand. */
  boolean mustWait() {
    return fencing.isOwed() || needsGeneration();
  }

  /** Holds what comes until this side may go on. */
  void begin() {
    if (!stopped) {
      stopped = true;
      path.freeze();
      next();
    }
  }

  private void next() {
    if (fencing.isOwed() && !core.administration().isAccepting()) {
      giveUp();
    } else if (fencing.isOwed()) {
      fencing.ask();
    } else if (insisting || needsGeneration()) {
      renew(effects.newGeneration());
    } else {
      stopped = false;
      releaseOrphans();
      path.unfreeze();
    }
  }

  /** The copies that are lost are fenced: the generation that was named then begins. */
  void fenced(long generation) {
    renew(generation);
  }

  /** A replica was lost or is in sync again: other copies may have to be fenced, or none. */
  void revise() {
    if (fencing.isStale()) {
      fencing.withdraw();
      next();
    }
  }

  /** This side ends its service: who waits for a fence waits no longer. */
  void end() {
    if (fencing.withdraw()) {
      giveUp();
    }
  }

  private void giveUp() {
    insisting = false;
    stopped = false;
    refuseOrphans(Errno.ESHUTDOWN);
    path.unfreeze();
  }

  // Generations.

  /**
   * Whether answering a client now would mean to go on without a replica that could be promoted
   * with our generation.
   */
  boolean needsGeneration() {
    if (replication.slots().isEmpty()
        || !core.isPrimary()
        || core.administration().isSuperseded()) {
      return false;
    }
    long current = states.current().generations().current();
    for (ReplicaSlot slot : replication.slots().values()) {
      if (slot.shared == current && !isAttached(slot)) {
        return true;
      }
    }
    return false;
  }

  private boolean isAttached(ReplicaSlot slot) {
    for (int i = 0; i < replication.links().size(); i++) {
      ReplicaLink link = replication.links().get(i);
      if (link.slot == slot && link.isAttached()) {
        return true;
      }
    }
    return false;
  }

  /** Begins a generation, also where no replica is lost. */
  void insist() {
    insisting = true;
    begin();
  }

  private void renew(long id) {
    insisting = false;
    states.update(state -> withGeneration(state, id), this::generationBegun);
  }

  /** A newer generation, which the replicas that are attached may take over. */
  VolumeState withGeneration(VolumeState state, long id) {
    return shared(state.withGenerations(state.generations().with(id, state.sharedGenerations())));
  }

  /** Notes that the replicas that are kept up may take over the history of {@code state}. */
  VolumeState shared(VolumeState state) {
    VolumeState newer = state;
    for (ReplicaLink link : replication.links()) {
      if (link.mayShare()) {
        VolumeState.Slot old = newer.slots().get(link.slot.peer);
        newer = newer.withSlot(link.slot.peer, old.withShared(state.generations().current()));
      }
    }
    return newer;
  }

  /**
   * The new generation is on this side's disk. The replicas that are left must have it too before
   * anything is answered in it: else one that was left behind would look as new as they do.
   */
  private void generationBegun() {
    effects.notice("goes on alone in generation " + states.current().generations());
    unaware = 1;
    spreadGenerations(
        link -> {
          if (link.config.mode() == LinkMode.ASYNC) {
            return known -> {};
          }
          unaware++;
          return known -> aware();
        });
    aware();
  }

  private void aware() {
    unaware--;
    if (unaware > 0) {
      return;
    }
    next();
  }

  /** Tells the replicas that are kept up the present history. */
  void spreadGenerations() {
    spreadGenerations(link -> known -> {});
  }

  private void spreadGenerations(Function<ReplicaLink, Consumer<Boolean>> confirmed) {
    for (ReplicaSlot slot : replication.slots().values()) {
      VolumeState.Slot known = states.current().slots().get(slot.peer);
      slot.shared = known == null ? 0 : known.sharedGeneration();
    }
    for (ReplicaLink link : replication.links()) {
      if (link.mayShare() && link.slot.shared == states.current().generations().current()) {
        link.sendGenerations(states.current().generations(), confirmed.apply(link));
      }
    }
  }
}
