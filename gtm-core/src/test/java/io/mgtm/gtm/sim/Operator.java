package io.mgtm.gtm.sim;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.member.GroupStatus;
import java.util.SplittableRandom;

/** What an operator does meanwhile: members come and go, lead, and force more or less. */
final class Operator {
  private static final String SPARE = "g9";
  private static final int STEPS_MAX = 20;
  private static final int STEP_MS = 100;

  private final Simulation simulation;
  private final World world;
  private final SplittableRandom random;
  private final Unhurt unhurt;
  private final boolean membershipChanges;
  private final boolean mixedDurability;

  Operator(Simulation simulation, SplittableRandom random, Unhurt unhurt) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = random;
    this.unhurt = unhurt;
    this.membershipChanges = random.nextInt(3) == 0 && !simulation.scenario.quorumDisk();
    this.mixedDurability =
        random.nextInt(4) == 0 || simulation.scenario.fault() == Fault.FOREIGN_DURABILITY;
  }

  /** What the configuration of a member says that starts now. */
  DurabilityMode durability() {
    return mixedDurability && random.nextBoolean() ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
  }

  /** Lets the group force more or less from now on. */
  void sayDurability() {
    SimNode leader = simulation.leader();
    if (mixedDurability && leader != null) {
      DurabilityMode mode = random.nextBoolean() ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
      leader.owner.execute(() -> leader.admin().durability(mode));
    }
  }

  void transfer(SimHost to) {
    SimNode leader = simulation.leader();
    if (leader != null) {
      leader.owner.execute(() -> leader.admin().transfer(to.name));
    }
  }

  /** Adds a member, or takes it out. */
  void changeMembers(SimHost of) {
    SimNode leader = simulation.leader();
    if (!membershipChanges || leader == null) {
      return;
    }
    boolean mayGrow = !simulation.scenario.witnessed() || !simulation.scenario.isLazy();
    if (mayGrow && simulation.node(SPARE) == null) {
      simulation.startNew(SPARE);
    }
    if (mayGrow && simulation.scenario.witnessed() && random.nextInt(3) > 0) {
      boolean grows = leader.voters().contains(simulation.witness);
      replace(grows ? simulation.witness : SPARE, grows ? SPARE : simulation.witness, STEPS_MAX);
      return;
    }
    if (random.nextBoolean()) {
      boolean asWitness = of.name.equals(simulation.witness);
      leader.owner.execute(() -> leader.admin().add(of.name, asWitness));
    } else if (simulation.scenario.isLazy()) {
      // Without the witness nothing is promised when a line is cut.
      if (!of.name.equals(simulation.witness)) {
        leader.owner.execute(() -> leader.admin().remove(of.name));
      }
    } else if (isWell() && leader.voters().size() > 2) {
      world.trace("remove %s", of.name);
      unhurt.lastRemovalMs = world.nowMs();
      leader.owner.execute(() -> leader.admin().remove(of.name));
    }
  }

  /** A pair with a witness becomes three, or three such a pair: one leaves when another has all. */
  private void replace(String leaves, String comes, int steps) {
    SimNode leader = simulation.leader();
    if (leader != null && leader.voters().contains(comes) && !leader.voters().contains(leaves)) {
      world.trace("%s votes in the place of %s", comes, leaves);
      return;
    }
    if (leader != null) {
      GroupStatus status = leader.status();
      boolean hasAll =
          status.members().stream()
              .anyMatch(m -> m.name().equals(comes) && m.matchedIndex() >= status.committedIndex());
      if (!hasAll) {
        boolean asWitness = comes.equals(simulation.witness);
        leader.owner.execute(() -> leader.admin().add(comes, asWitness));
      } else if (isWell()) {
        unhurt.lastRemovalMs = world.nowMs();
        leader.owner.execute(() -> leader.admin().remove(leaves));
      }
    }
    if (steps > 0) {
      world.afterMs(STEP_MS, () -> replace(leaves, comes, steps - 1));
    }
  }

  private boolean isWell() {
    return simulation.hosts().values().stream()
        .allMatch(h -> h.isUp() && !h.mayHaveLost && !h.failing);
  }
}
