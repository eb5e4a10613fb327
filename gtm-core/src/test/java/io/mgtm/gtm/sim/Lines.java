package io.mgtm.gtm.sim;

import java.util.SplittableRandom;

/** Mode lazy with a witness: lines between members that are cut, which views show late or never. */
final class Lines {
  /** After this at least a view shows a cut. */
  private static final int SHOWN_MS = 40;

  private final Simulation simulation;
  private final World world;
  private final MemberNetwork network;
  private final SplittableRandom random;
  private long cutUntilMs;

  Lines(Simulation simulation, SplittableRandom random) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.network = simulation.network;
    this.random = random;
  }

  /** Whether all have been whole for a while. */
  boolean areWhole() {
    return world.nowMs() > cutUntilMs + 300;
  }

  /** Nothing passes between one and some others. */
  void cut(SimHost one) {
    int ms = random.nextInt(800);
    for (String other : simulation.names()) {
      if (!other.equals(one.name) && random.nextInt(3) > 0) {
        cut(one.name, other, ms, random.nextInt(4) > 0);
      }
    }
  }

  /**
   * The leader is cut off from the other member, which knows it and stands, and from the witness
   * too: at once, or later, and the witness is started again as soon as it has answered.
   */
  void cutOff(SimHost leader, SimHost witness) {
    world.note(Happening.LEADER_CUT_OFF);
    boolean atOnce = random.nextBoolean();
    int ms = 150 + random.nextInt(100);
    for (String other : simulation.names()) {
      if (!other.equals(leader.name) && !other.equals(witness.name)) {
        cut(leader.name, other, ms, false);
        world.afterMs(60 + random.nextInt(40), () -> view(other, leader.name, false));
      }
    }
    int lastAnsweredMs = atOnce ? 0 : 60 + random.nextInt(30);
    world.afterMs(
        lastAnsweredMs,
        () -> {
          cut(leader.name, witness.name, ms - lastAnsweredMs, false);
          if (!atOnce && witness.isUp()) {
            world.trace("%s is started again", witness.name);
            witness.kill();
            simulation.start(witness.name);
          }
        });
  }

  /** Nothing passes between two, which their views may see. */
  void cut(String one, String other, int ms, boolean seen) {
    world.trace("%s and %s are cut for %d ms", one, other, ms);
    world.note(Happening.LINE_CUT);
    cutUntilMs = Math.max(cutUntilMs, world.nowMs() + ms);
    network.cutBoth(one, other);
    int shownMs = SHOWN_MS + random.nextInt(3 * SHOWN_MS);
    if (seen && shownMs < ms) {
      world.afterMs(shownMs, () -> view(one, other, false));
      world.afterMs(shownMs + random.nextInt(50), () -> view(other, one, false));
    }
    world.afterMs(
        ms,
        () -> {
          network.mend(one, other);
          view(one, other, true);
          view(other, one, true);
        });
  }

  private void view(String of, String other, boolean up) {
    network.tellNow(
        of,
        receiver -> {
          if (up) {
            receiver.up(other);
          } else {
            receiver.down(other);
          }
        });
  }
}
