package io.mgtm.gtm.sim;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

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

  /** Whether a node without a group syncs whatever it acknowledges. */
  private final boolean allForced;

  Operator(Simulation simulation, SplittableRandom random, Unhurt unhurt) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.random = random;
    this.unhurt = unhurt;
    Scenario scenario = simulation.scenario;
    this.membershipChanges = random.nextBoolean() && !scenario.quorumDisk() && !scenario.alone();
    this.mixedDurability = random.nextInt(4) == 0 || scenario.fault() == Fault.FOREIGN_DURABILITY;
    this.allForced = scenario.alone() && !mixedDurability && random.nextInt(3) == 0;
  }

  /** What the configuration of a member says that starts now. */
  DurabilityMode durability() {
    boolean all = allForced || (mixedDurability && random.nextBoolean());
    return all ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
  }

  boolean isAllForced() {
    return allForced;
  }

  /** Lets the group force more or less from now on. */
  void sayDurability() {
    SimNode leader = simulation.leader();
    if (mixedDurability && leader != null) {
      DurabilityMode mode = random.nextBoolean() ? DurabilityMode.ALL : DurabilityMode.CRITICAL;
      ask(leader, Happening.DURABILITY_SAID, admin -> admin.durability(mode));
    }
  }

  /** To a member; when it leads, to the next. */
  void transfer(SimHost to) {
    SimNode leader = simulation.leader();
    if (leader != null) {
      List<String> names = simulation.names();
      int next = (names.indexOf(to.name) + (leader.host == to ? 1 : 0)) % names.size();
      ask(leader, Happening.TRANSFER_BEGUN, admin -> admin.transfer(names.get(next)));
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
      // Whoever is a member already cannot come.
      boolean spare = mayGrow && leader.voters().contains(of.name);
      String name = spare ? SPARE : of.name;
      boolean asWitness = name.equals(simulation.witness);
      ask(leader, Happening.ADDITION_BEGUN, admin -> admin.add(name, asWitness));
    } else if (simulation.scenario.isLazy()) {
      // Without the witness nothing is promised when a line is cut.
      if (!of.name.equals(simulation.witness)) {
        ask(leader, Happening.REMOVAL_BEGUN, admin -> admin.remove(of.name));
      }
    } else if (isWell() && leader.voters().size() > 2) {
      world.trace("remove %s", of.name);
      unhurt.lastRemovalMs = world.nowMs();
      ask(leader, Happening.REMOVAL_BEGUN, admin -> admin.remove(of.name));
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
        ask(leader, Happening.ADDITION_BEGUN, admin -> admin.add(comes, asWitness));
      } else if (isWell()) {
        unhurt.lastRemovalMs = world.nowMs();
        ask(leader, Happening.REMOVAL_BEGUN, admin -> admin.remove(leaves));
      }
    }
    if (steps > 0) {
      world.afterMs(STEP_MS, () -> replace(leaves, comes, steps - 1));
    }
  }

  private void ask(
      SimNode leader, Happening what, Function<GroupAdmin, Optional<String>> question) {
    leader.owner.execute(
        () -> {
          Optional<String> refused = question.apply(leader.admin());
          if (refused.isEmpty()) {
            world.note(what);
          }
          world.trace("%s: %s", what, refused.orElse("begun"));
        });
  }

  private boolean isWell() {
    return simulation.hosts().values().stream()
        .allMatch(h -> h.isUp() && !h.mayHaveLost && !h.failing);
  }
}
