package io.mgtm.block.volume;

import io.mgtm.block.volume.Meeting.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Promotions asked at any node of a model, and who heard of a newer primary. As long as nobody is
 * promoted by force, there is one primary at most, no split, and a promoted copy lacks nothing that
 * was acknowledged by anybody.
 */
final class ModelPromotions {
  private static final int ASKING_TURNS = 12;
  private static final int LEFT_BEHIND_TURNS = 200;

  private final ModelWorld world;
  private final boolean insisting;
  private final Set<ModelNode> heardOfNewer = new HashSet<>();
  private boolean forced;
  private boolean everForced;
  private long openings;

  /** Whether metadata of an earlier time returned. */
  boolean backupReturned;

  /** Whether some were lost. */
  boolean stateLost;

  ModelPromotions(ModelWorld world) {
    this.world = world;
    insisting = world.random.nextBoolean() && !world.fences.isOn();
  }

  /** Whether somebody was promoted by force, so that what others acknowledged may be lost. */
  boolean forced() {
    return forced;
  }

  /** Whether somebody was promoted although its copy was inconsistent or empty. */
  boolean everForced() {
    return everForced;
  }

  /** The end of the schedule: the operator does what it takes. */
  void beginRepair() {
    forced = true;
    everForced = true;
    heardOfNewer.clear();
  }

  /** Not random, so that a schedule does not depend on how often its nodes started. */
  long newOpening() {
    return ++openings;
  }

  /** A side dies; if it had not written down what it heard, it hears it again. */
  void died(ModelNode node) {
    heardOfNewer.remove(node);
  }

  /** Metadata of an earlier time are back: what was told since is forgotten. */
  void forgotten() {
    forced = true;
    everForced = true;
  }

  /** What a side tells of itself. */
  Identity told(Identity it) {
    // A spare that is taken for the state is found by its openings too: it shows without them only.
    boolean untold =
        world.fault == ModelFault.OPENINGS_NOT_COMPARED
            || world.fault == ModelFault.DAMAGED_STATE_TAKEN_FROM_SPARE;
    return !untold
        ? it
        : new Identity(
            it.volume(),
            it.nodeId(),
            it.sizeBytes(),
            it.chunkBytes(),
            it.role(),
            it.generations(),
            it.consistent(),
            it.discard(),
            it.tracksPeer(),
            it.syncingFrom(),
            it.volumeId());
  }

  /** What lies on the disk when {@code newer} is written down. */
  VolumeState written(ModelFiles files, VolumeState newer) {
    if (newer.role() == Role.PRIMARY && files.state.role() == Role.SECONDARY) {
      for (ModelNode other : world.nodes) {
        if (other.files == files) {
          heardOfNewer.remove(other);
        } else if (!forced
            && !world.fences.hasVouched()
            && (other.files.state.role() == Role.PRIMARY
                || (other.isUp() && other.core.isDetached()))) {
          throw new AssertionError(
              newer.nodeId() + " and n" + other.index + " are primary, nobody was forced");
        }
      }
    }
    boolean forgotten =
        world.fault == ModelFault.HANDED_OVER_TWICE
            && files.state.standing().newest()
            && !newer.standing().outdated();
    return forgotten ? newer.withStanding(newer.standing().asNewest()) : newer;
  }

  /** Two sides met. */
  void met(ModelNode source, ModelNode target, Outcome outcome) {
    if (outcome == Outcome.SPLIT_BRAIN && !forced) {
      world.fences.split(source, target);
    }
    if (outcome == Outcome.SOURCE_OUTDATED && source.files.state.role() == Role.PRIMARY) {
      heardOfNewer.add(source);
    }
  }

  /** A client was told that its request is done. */
  void acknowledged(ModelNode node) {
    if (heardOfNewer.contains(node)) {
      throw new AssertionError("n" + node.index + " serves though it heard of a newer primary");
    }
  }

  /** An operator wants {@code node} to be primary. */
  void promote(ModelNode node) {
    if (!node.isUp() || node.core.isPrimary() || !world.fences.mayPromote(node)) {
      return;
    }
    Asking asking = new Asking(node, insisting && world.random.nextInt(8) == 0);
    asking.begin();
  }

  /**
   * The primary hands over in order, perhaps after it left one behind; any node is promoted, or
   * more than one.
   */
  void switchOver() {
    ModelNode left = world.nodes.get(world.random.nextInt(world.nodes.size()));
    for (ModelNode node : world.nodes) {
      if (node.isUp() && node.core.isPrimary()) {
        if (world.random.nextBoolean()) {
          leaveBehind(node, left);
        }
        if (node.isUp()) {
          node.core.administration().demote(false, refusal -> node.later(() -> follow(node, left)));
        }
      }
    }
  }

  private void leaveBehind(ModelNode primary, ModelNode left) {
    world.pathsUp = false;
    for (ModelConnection connection : world.connections) {
      if (connection.target == left) {
        connection.cut("left behind");
      }
    }
    for (int i = 0; i < LEFT_BEHIND_TURNS && primary.isUp(); i++) {
      if (i % 20 == 10) {
        world.request(primary);
      }
      world.completeSomething();
      world.deliverSomething();
    }
  }

  private void follow(ModelNode old, ModelNode left) {
    world.pathsUp = true;
    world.trace(() -> "n" + old.index + " was demoted");
    int fate = world.isRepairing() ? 0 : world.random.nextInt(3);
    if (fate == 1) {
      world.kill(old, false);
    }
    promote(
        world.random.nextBoolean()
            ? left
            : world.nodes.get(world.random.nextInt(world.nodes.size())));
    if (fate == 2) {
      world.pathsUp = false;
      world.kill(old, false);
      world.crashOrRestart(old);
      promote(old);
    }
  }

  /** Checks a copy that became primary; all that was acknowledged is there if it had to ask. */
  private void promoted(ModelNode node, Generations before, boolean asked) {
    if (everForced) {
      return;
    }
    if (world.mode == LinkMode.SYNC && asked) {
      world.fail(node, world.history.violationOfAll(node.content()), "promoted without force");
    }
    // Whom a secondary leaves behind is in the generation in which the primary goes on.
    boolean handedOn = world.isCascade() && node.index >= 2;
    if (world.mode == LinkMode.SYNC && (asked || !handedOn)) {
      world.fail(node, world.history.violation(node.content(), before), "promoted");
    }
    if (!node.inFlight.isEmpty()) {
      return;
    }
    if (world.mode == LinkMode.SEMI && node.life == 0 && node.pending.isEmpty()) {
      world.fail(node, world.history.violation(node.content(), before), "promoted");
    }
    // A target that died itself with unacknowledged frames shows a prefix of all only in sync mode,
    // and of what was flushed in the others.
    world.fail(
        node,
        world.mode == LinkMode.SYNC || node.life == 0
            ? world.history.prefixViolation(node.content())
            : world.history.flushedPrefixViolation(node.content()),
        "promoted");
  }

  /** One promotion: the others are asked, then it is decided, and perhaps insisted. */
  private final class Asking {
    private final ModelNode node;
    private final boolean wild;
    private final Testimony[] answers;
    private final int life;
    private int missing;
    private boolean decided;

    Asking(ModelNode node, boolean wild) {
      this.node = node;
      this.wild = wild;
      answers = new Testimony[node.linkTargets.size()];
      missing = answers.length;
      life = node.life;
    }

    void begin() {
      Identity self = node.core.identityFor("");
      for (int i = 0; i < answers.length; i++) {
        int link = i;
        ModelNode peer = node.linkTargets.get(i);
        answers[i] = Testimony.missing("n" + peer.index, "not reached");
        if (peer.isUp() && world.pathsUp && world.random.nextInt(6) > 0) {
          peer.later(
              () ->
                  peer.core
                      .administration()
                      .testify(
                          self,
                          (identity, hands) ->
                              node.later(() -> answer(link, testimony(peer, identity, hands)))));
        }
      }
      node.after(ASKING_TURNS, this::decide);
    }

    private Testimony testimony(ModelNode peer, Identity identity, boolean hands) {
      boolean forged = world.fault == ModelFault.PROMOTED_WITHOUT_HANDOVER;
      return new Testimony("n" + peer.index, identity, hands || forged, "");
    }

    private void answer(int link, Testimony testimony) {
      if (node.life != life) {
        return;
      }
      answers[link] = testimony;
      missing--;
      if (missing == 0) {
        decide();
      }
    }

    private void decide() {
      VolumeState state = node.core.state();
      boolean over = state.role() == Role.PRIMARY || world.isRepairing();
      if (decided || over || !world.fences.mayPromote(node)) {
        return;
      }
      decided = true;
      if (state.generations().isEmpty() && !wild) {
        return;
      }
      boolean unchecked = world.fault == ModelFault.INCONSISTENT_TARGET_PROMOTED;
      run(wild || unchecked ? Grounds.FORCE : Grounds.TESTIMONY, unchecked);
    }

    private void run(Grounds grounds, boolean unchecked) {
      VolumeState before = node.core.state();
      boolean force = grounds == Grounds.FORCE;
      boolean broken = !before.consistent() || before.generations().isEmpty();
      forced |= force;
      everForced |= force && broken && !unchecked;
      Runnable takeBack = world.fences.promoting(node, grounds);
      node.core
          .administration()
          .promote(
              grounds,
              new ArrayList<>(List.of(answers)),
              refusal -> {
                world.trace(() -> "n" + node.index + " promoted, " + grounds + ": " + refusal);
                if (refusal == null) {
                  promoted(node, before.generations(), !forced);
                  return;
                }
                takeBack.run();
                if (insisting && !force && !broken) {
                  run(Grounds.FORCE, false);
                } else if (grounds == Grounds.TESTIMONY && world.fences.mayVouch(node)) {
                  run(Grounds.VOUCHED, false);
                }
              });
    }
  }
}
