package io.mgtm.block.volume;

import java.util.function.Consumer;

/**
 * What an operator asks of a volume: its role, its links, its size. Called on the core's thread.
 */
public final class Administration {
  private final VolumeCore core;
  private final StateKeeper states;
  private final WritePath path;
  private final VolumeEffects effects;
  private Consumer<String> demotion;
  private boolean discardOnDemotion;
  private Runnable resizing;
  private boolean growing;
  private boolean accepting = true;
  private Runnable retirement;

  Administration(VolumeCore core, StateKeeper states, WritePath path, VolumeEffects effects) {
    this.core = core;
    this.states = states;
    this.path = path;
    this.effects = effects;
  }

  /** Whether the side is in a settled role, neither being promoted nor demoted. */
  boolean isAccepting() {
    return accepting;
  }

  /** Becomes primary; {@code answer} is told null, or why not. */
  public void promote(boolean force, Consumer<String> answer) {
    if (states.current().role() == Role.PRIMARY) {
      answer.accept(null);
      return;
    }
    String refusal = core.receiver().refusalToPromote();
    if (refusal != null && !force) {
      answer.accept(refusal);
      return;
    }
    accepting = false;
    core.receiver().close("this side is promoted");
    core.loseAll("this side is promoted");
    long id = effects.newGeneration();
    states.update(
        state ->
            core.replication()
                .withGeneration(state, id)
                .withRole(Role.PRIMARY, false)
                .withConsistency(true, ""),
        () -> {
          core.replication().spreadGenerations();
          accepting = true;
          effects.notice("promoted to primary, generations " + states.current().generations());
          answer.accept(null);
        });
  }

  /**
   * Becomes secondary once all under way is done; {@code answer} is told null, or why not.
   *
   * @param discard give up this side's own changes in favour of the other's
   */
  public void demote(boolean discard, Consumer<String> answer) {
    if (demotion != null) {
      answer.accept("a demotion is under way already");
      return;
    }
    accepting = false;
    demotion = answer;
    discardOnDemotion = discard;
    path.refuseHeld(Errno.ESHUTDOWN);
    settle();
  }

  /** Ends a demotion once nothing is under way any more. */
  void settle() {
    if (resizing != null && !path.isWritingBits()) {
      // The bitmaps grow between two writes of them.
      Runnable waiting = resizing;
      resizing = null;
      waiting.run();
    }
    if (retirement != null) {
      settleRetirement();
    }
    if (demotion == null || !path.isIdle() || !states.isIdle()) {
      return;
    }
    for (ReplicaLink link : core.replication().links()) {
      if (link.isAttached() && !link.isDrained()) {
        return;
      }
    }
    Consumer<String> answer = demotion;
    demotion = null;
    boolean discard = discardOnDemotion;
    states.update(
        state -> state.withRole(Role.SECONDARY, discard),
        () -> {
          core.loseAll("this side is demoted");
          accepting = true;
          effects.notice("demoted to secondary" + (discard ? ", its own changes given up" : ""));
          answer.accept(null);
        });
  }

  /**
   * Prepares for an orderly end, after which a restart has nothing to send again: once no request
   * is under way, bits are cleared where the replicas that are connected have everything on stable
   * storage, and the bitmaps are written. The caller bounds its wait for {@code then}.
   */
  public void retire(Runnable then) {
    accepting = false;
    retirement = then;
    path.refuseHeld(Errno.ESHUTDOWN);
    settle();
  }

  boolean isRetiring() {
    return retirement != null;
  }

  private void settleRetirement() {
    if (!path.isIdle()) {
      return;
    }
    boolean exact = true;
    for (ReplicaSlot slot : core.replication().slots().values()) {
      slot.retire();
      exact &= !slot.isAttached() || slot.isExact();
    }
    if (exact && !path.isWritingBits() && !core.replication().bitmaps().isStale()) {
      Runnable then = retirement;
      retirement = null;
      then.run();
    }
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
      one.reason = "not connected yet";
    }
  }

  /** Sends all chunks again, those whose checksums differ; answers null, or why not. */
  public String resync(int link) {
    ReplicaLink one = core.replication().links().get(link);
    if (one.phase != LinkPhase.UP_TO_DATE && one.phase != LinkPhase.SYNCING) {
      return "link "
          + one.config.name()
          + " is "
          + one.phase
          + ", not connected; a resync begins when it is";
    }
    core.replication().resyncAll(one);
    return null;
  }

  /** Compares all chunks with a link's replica; answers null, or why not. */
  public String verify(int link, boolean repair) {
    ReplicaLink one = core.replication().links().get(link);
    if (one.phase != LinkPhase.UP_TO_DATE) {
      return "link " + one.config.name() + " is " + one.phase + "; a verify needs it up to date";
    }
    if (one.sync.isVerifying()) {
      return "link " + one.config.name() + " is being verified already";
    }
    one.sync.beginVerify(repair);
    one.sync.pump();
    return null;
  }

  /**
   * There is room for {@code sizeBytes}, on stable storage: the volume takes the new size, and its
   * replicas are told.
   *
   * @param answer told null, or why not
   */
  public void resize(long sizeBytes, Consumer<String> answer) {
    if (sizeBytes < states.current().sizeBytes()) {
      answer.accept(
          "a volume of " + states.current().sizeBytes() + " bytes cannot shrink to " + sizeBytes);
    } else if (growing) {
      answer.accept("a resize is under way already; try again");
    } else {
      growing = true;
      resizing = () -> resizeNow(sizeBytes, answer);
      settle();
    }
  }

  private void resizeNow(long sizeBytes, Consumer<String> answer) {
    core.replication().grow(VolumeState.chunksOf(sizeBytes, states.current().chunkBytes()));
    states.update(
        state -> state.withSize(sizeBytes),
        () -> {
          growing = false;
          core.replication().grown(sizeBytes);
          answer.accept(null);
        });
  }
}
