package io.mgtm.gtm.sim;

import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.member.GroupStatus;
import java.util.List;

/** Which members may be hurt so that the group still has all that it has promised to keep. */
final class Unhurt {
  private final Simulation simulation;
  private final World world;
  private final Lines lines;

  /** When a member was taken out last. */
  long lastRemovalMs = -1_000;

  Unhurt(Simulation simulation, Lines lines) {
    this.simulation = simulation;
    this.world = simulation.world;
    this.lines = lines;
  }

  /** Whether a member may lose what it has not synced. */
  boolean mayBeHurt(SimHost host) {
    return host.isUp() && (simulation.scenario.harsh() || isMinorityHurt(host));
  }

  /** In mode lazy power may fail for one at a time, while the others are in step. */
  boolean mayLose(SimHost next) {
    return next.isUp()
        && simulation.views.isQuiet()
        && lines.areWhole()
        && simulation.hosts().values().stream()
            .allMatch(
                host ->
                    host == next
                        || (simulation.node(host.name).isInStep()
                            && !host.doomed
                            && !host.failing));
  }

  /**
   * Beside a witness nothing is promised for a copy that is lost: it may be the only one that
   * counts. The witness's folder may be lost while the pair is whole, also before it votes again.
   */
  boolean mayBeEmptied(SimHost host) {
    SimNode leader = simulation.leader();
    return mayLose(host)
        && (!simulation.scenario.witnessed()
            || (host.name.equals(simulation.witness)
                && leader != null
                && leader.status().serving()
                && leader.status().members().stream()
                    .allMatch(m -> m.voter() || m.name().equals(simulation.witness))));
  }

  /** Whether the witness runs on another disk, and nobody else is hurt. */
  boolean isOnlyWitnessLost() {
    return simulation.views.isQuiet()
        && lines.areWhole()
        && !simulation.node(simulation.witness).isInStep()
        && simulation.hosts().values().stream().noneMatch(host -> host.doomed || host.failing);
  }

  /** Whether a majority of the voters would stay unhurt if this one were hurt too. */
  boolean isMinorityHurt(SimHost next) {
    if (world.nowMs() - lastRemovalMs < 600) {
      return false; // Not all know yet who is left.
    }
    SimNode leader = simulation.leader();
    if (leader == null && simulation.logs.everLed()) {
      return false;
    }
    List<String> voters = leader == null ? simulation.configuredFor("g1") : leader.voters();
    long unhurt =
        simulation.hosts().values().stream()
            .filter(
                host ->
                    host != next
                        && !host.mayHaveLost
                        && !host.failing
                        && !hasForgotten(host)
                        && voters.contains(host.name))
            .count();
    unhurt += simulation.scenario.quorumDisk() ? 1 : 0;
    return unhurt > Math.max(voters.size(), simulation.founders()) / 2;
  }

  /** As far as it was told, since it was started on an older copy. */
  private boolean hasForgotten(SimHost host) {
    GroupStatus status = simulation.node(host.name).status();
    return status != null && status.durabilityState() == DurabilityState.OLDER_COPY;
  }

  /** Beside a witness: whether another member has all that may count, and the witness knows it. */
  boolean isCopied(SimHost next) {
    SimNode leader = simulation.leader();
    if (!simulation.scenario.witnessed() || next.name.equals(simulation.witness)) {
      return true;
    }
    return leader != null
        && !simulation.scenario.harsh()
        && simulation.hosts().values().stream().allMatch(h -> isOfTerm(h, leader.status().term()))
        && (leader.host != next
            || leader.status().members().stream()
                .anyMatch(
                    m ->
                        m.voter()
                            && !m.name().equals(next.name)
                            && !m.name().equals(simulation.witness)
                            && m.matchedIndex() == leader.status().lastIndex()));
  }

  private boolean isOfTerm(SimHost host, long term) {
    SimNode node = simulation.node(host.name);
    return node.isAlive() && node.isOpen() && node.status().term() == term;
  }
}
