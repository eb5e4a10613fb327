package io.mgtm.block.volume;

import io.mgtm.block.intent.Opening;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * What an operator asks of a volume: its role, its links, its size. Called on the core's thread.
 */
public final class Administration {
  static final String NOT_SPLIT =
      "no other copy was seen that this one is split from, and this one is the newest: given up, no"
          + " copy could be promoted; 'demote' without --discard hands over; bring the survivor up"
          + " first, and where it is older than this one, run 'promote --force' there, also if it is"
          + " primary";

  static final String RECALLING =
      "this primary waits for what its disk may have lost; try again, or promote it by force";

  private final VolumeCore core;
  private final StateKeeper states;
  private final WritePath path;
  private final VolumeEffects effects;
  private final Growth growth;
  private final LinkCommands links;
  private Consumer<String> demotion;
  private boolean discardOnDemotion;
  private boolean accepting = true;
  private Runnable retirement;
  private boolean superseded;

  Administration(VolumeCore core, StateKeeper states, WritePath path, VolumeEffects effects) {
    this.core = core;
    this.states = states;
    this.path = path;
    this.effects = effects;
    growth = new Growth(core, effects, path, states);
    links = new LinkCommands(core);
  }

  /** What an operator asks of one link. */
  public LinkCommands links() {
    return links;
  }

  /** Whether the side is in a settled role, neither being promoted nor demoted. */
  boolean isAccepting() {
    return accepting;
  }

  /**
   * Whether requests are refused because a newer primary exists, or this side's disk failed and a
   * replica has what it lost.
   */
  public boolean isSuperseded() {
    return superseded;
  }

  /**
   * Becomes primary; {@code answer} is told null, or why not.
   *
   * @param testimonies what the other copies said when they were asked a moment ago
   */
  public void promote(Grounds grounds, List<Testimony> testimonies, Consumer<String> answer) {
    Promotion promotion = new Promotion(states.current(), testimonies);
    String refusal = promotion.refusal(grounds);
    boolean force = grounds == Grounds.FORCE;
    if (promotion.isOutdated()) {
      superseded(refusal);
    }
    if (core.isPrimary()) {
      if (force) {
        core.recall().goOn("ordered by force");
        insist();
      }
      answer.accept(promotion.isOutdated() ? refusal : null);
      return;
    }
    if (!accepting) {
      answer.accept("this side is changing its role; try again");
      return;
    }
    Identity source = core.receiver().isConnected() ? core.receiver().source() : null;
    String first = promotion.refusalBeside(source, grounds);
    if (!force && (first != null || refusal != null)) {
      keep(promotion);
      answer.accept(first != null ? first : refusal);
      return;
    }
    accepting = false;
    core.receiver().close("this side is promoted");
    core.loseAll("this side is promoted");
    core.receiver().choice().forget();
    core.replication().links().forEach(ReplicaLink::startOver);
    long id = effects.newGeneration();
    String volumeId = Long.toHexString(effects.newGeneration());
    states.update(
        state ->
            core.replication()
                .alone()
                .withGeneration(state, id)
                .withRole(Role.PRIMARY, false)
                .withConsistency(true, "")
                .withStanding(state.standing().orOf(volumeId).asNewest()),
        () -> {
          core.replication().alone().spreadGenerations();
          accepting = true;
          effects.notice("promoted to primary, generations " + states.current().generations());
          answer.accept(null);
        });
  }

  /**
   * This primary is the survivor, whoever else was promoted: what it writes from here on no other
   * copy knows of, so that who has a later generation is split from it, and may be given up.
   */
  private void insist() {
    if (accepting && !core.isDetached() && !core.replication().slots().isEmpty()) {
      core.replication().alone().insist();
    }
  }

  /**
   * Why this primary, which was restarted and does not serve yet, should not, or null.
   *
   * @param testimonies what the other copies said when they were asked a moment ago
   */
  public String refusalToServe(Grounds grounds, List<Testimony> testimonies) {
    return new Promotion(states.current(), testimonies).refusalToServe(grounds);
  }

  /** Another copy handed over, but this one is not promoted: it keeps what it was given. */
  private void keep(Promotion promotion) {
    if (promotion.isHandedOver() && !promotion.isOutdated()) {
      states.update(state -> state.withStanding(state.standing().asNewest()), () -> {});
    }
  }

  /**
   * Another copy is to be promoted and asks. If this one is the newest and no primary, and the
   * other equals it, the other becomes the newest instead.
   *
   * @param answer told what this copy is, and whether it handed over
   */
  public void testify(Identity candidate, BiConsumer<Identity, Boolean> answer) {
    VolumeState now = states.current();
    boolean equal =
        Meeting.stranger(now.identityFor(""), candidate) == null
            && candidate.role() == Role.SECONDARY
            && candidate.consistent()
            && !now.generations().isEmpty()
            && candidate.generations().current() == now.generations().current();
    if (!accepting || core.isPrimary() || !now.standing().newest() || !equal) {
      answer.accept(core.identityFor(candidate.nodeId()), false);
      return;
    }
    accepting = false;
    states.update(
        state -> state.withStanding(state.standing().asHandedOver()),
        () -> {
          accepting = true;
          effects.notice("handed over to node " + candidate.nodeId());
          answer.accept(states.current().identityFor(candidate.nodeId()), true);
        });
  }

  /**
   * A newer copy exists. A primary answers no more requests from here on, those under way neither,
   * and becomes secondary.
   */
  void superseded(String why) {
    if (!core.isPrimary()) {
      if (!states.current().standing().outdated()) {
        states.update(state -> state.withStanding(state.standing().asOutdated()), () -> {});
      }
      return;
    }
    if (superseded) {
      return;
    }
    endService(
        why + "; this side takes no more requests and becomes secondary",
        state -> state.withStanding(state.standing().asOutdated()));
  }

  /**
   * This primary's disk has lost what it answered, and a replica has it: this side becomes
   * secondary and inconsistent, so that the replica can be promoted and this side follow it.
   */
  void stepDown(String why) {
    endService(
        why + "; this side takes no more requests: promote a replica that is up to date",
        Administration::steppedDown);
  }

  /** The state of a side that lacks what it answered as primary. */
  static VolumeState steppedDown(VolumeState state) {
    return state.withRole(Role.SECONDARY, false).withConsistency(false, "");
  }

  /**
   * Whether {@code other}, a copy of this volume, has heard of an opening of this side's metadata
   * that is not in them: somebody put back an older folder. Nothing in it is believed from here on.
   *
   * @return why, or null
   */
  String forgot(Identity other) {
    VolumeState now = states.current();
    Opening heard = now.identityFor("").forgotten(other);
    if (heard == null) {
      return null;
    }
    String why =
        "this side's metadata are of an earlier time: node "
            + other.nodeId()
            + " has heard of opening "
            + heard.count()
            + " of them, which is not among theirs; every chunk is to be compared, and this copy counts as outdated";
    long id = effects.newGeneration();
    if (!core.isPrimary()) {
      effects.notice(why);
      core.receiver().close(why);
      core.loseAll(why);
      states.update(state -> state.older(heard, id, false), () -> {});
    } else if (!superseded) {
      endService(why, state -> state.older(heard, id, true));
    }
    core.replication().slots().values().forEach(slot -> slot.outOfSync.fill());
    return why;
  }

  private void endService(String why, UnaryOperator<VolumeState> how) {
    superseded = true;
    accepting = false;
    path.refuseHeld(Errno.ESHUTDOWN);
    core.replication().alone().end();
    core.detachment().clear();
    effects.alarm(why);
    effects.superseded(why);
    if (demotion == null) {
      core.loseAll("this side is no longer primary");
      UnaryOperator<VolumeState> all = core.recall().abandon(how);
      states.update(state -> all.apply(state.withRole(Role.SECONDARY, false)), () -> {});
    }
  }

  /**
   * Becomes secondary once all under way is done; {@code answer} is told null, or why not.
   *
   * @param discard give up this side's own changes in favour of the other's
   */
  public void demote(boolean discard, Consumer<String> answer) {
    if (discard && !isSplit() && (core.isPrimary() || states.current().standing().newest())) {
      answer.accept(NOT_SPLIT);
      return;
    }
    if (!accepting || core.recall().isPending()) {
      answer.accept(accepting ? RECALLING : "this side is changing its role already; try again");
      return;
    }
    accepting = false;
    demotion = answer;
    discardOnDemotion = discard;
    path.refuseHeld(Errno.ESHUTDOWN);
    core.replication().alone().end();
    settle();
  }

  /** Whether a copy was met, and not since then been agreed with, that wrote without this one. */
  boolean isSplit() {
    return core.receiver().choice().sawSplit()
        || core.replication().links().stream()
            .anyMatch(link -> link.refusal == Meeting.Outcome.SPLIT_BRAIN);
  }

  /** Ends a demotion once nothing is under way any more. */
  void settle() {
    growth.settle();
    if (retirement != null) {
      settleRetirement();
    }
    if (!path.isIdle() || !states.isIdle()) {
      return;
    }
    if (superseded && demotion == null && states.current().role() == Role.SECONDARY) {
      superseded = false;
      accepting = retirement == null;
    }
    if (demotion != null && core.replication().heirs().isDrained()) {
      Consumer<String> answer = demotion;
      demotion = null;
      endDemotion(discardOnDemotion, answer);
    }
  }

  private void endDemotion(boolean discard, Consumer<String> answer) {
    ReplicaLink heir = discard || superseded ? null : core.replication().heirs().heir();
    long id = effects.newGeneration();
    states.update(
        state -> {
          VolumeState last =
              core.replication().heirs().isBehind()
                  ? core.replication().alone().withGeneration(state, id)
                  : state;
          Standing standing = last.standing();
          return last.withRole(Role.SECONDARY, discard)
              .withStanding(
                  discard || superseded
                      ? standing.asOutdated()
                      : heir == null ? standing : standing.asHandedOver());
        },
        () -> {
          if (heir == null) {
            demoted(discard, answer);
          } else if (heir.mayShare()) {
            heir.sendHandover(known -> demoted(discard, answer));
          } else {
            // It was lost meanwhile and was not named: this copy is the newest still.
            states.update(
                state -> state.withStanding(state.standing().asNewest()),
                () -> demoted(discard, answer));
          }
        });
  }

  private void demoted(boolean discard, Consumer<String> answer) {
    core.detachment().clear();
    core.loseAll("this side is demoted");
    superseded = false;
    accepting = true;
    effects.notice("demoted to secondary" + (discard ? ", its own changes given up" : ""));
    answer.accept(null);
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
    core.replication().alone().end();
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
    if ((exact || core.isDetached())
        && !path.isWritingBits()
        && !core.replication().bitmaps().isStale()) {
      Runnable then = retirement;
      retirement = null;
      then.run();
    }
  }

  /** Whether a volume can have this size: not less than now, whole sectors, not too many chunks. */
  public boolean isPossibleSize(long sizeBytes) {
    VolumeState state = states.current();
    return sizeBytes >= state.sizeBytes()
        && sizeBytes % VolumeState.SECTOR_BYTES == 0
        && sizeBytes / state.chunkBytes() < VolumeState.CHUNKS_MAX;
  }

  /**
   * Makes room for {@code sizeBytes}, takes that size, and tells the replicas.
   *
   * @param answer told null, or why not
   */
  public void resize(long sizeBytes, Consumer<String> answer) {
    growth.begin(sizeBytes, answer);
  }

  /**
   * A source was refused: where that is for its size and this copy is empty, it takes that size.
   *
   * @param source whose size {@link #isPossibleSize}
   */
  public void fit(Identity source, Meeting.Decision refusal) {
    growth.fit(source, refusal);
  }
}
