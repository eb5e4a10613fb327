package io.mgtm.gtm.sim;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.member.WitnessLog;

/** The witness of a pair. It has no state, and its node no clients. */
final class WitnessMember implements SimMember {
  private final SimNode node;
  private final StateTrace trace;
  private WitnessLog log;

  WitnessMember(SimNode node) {
    this.node = node;
    this.trace = new StateTrace(node.host.name);
  }

  @Override
  public void open() {
    node.gtm().join(this::open, opened -> opened);
  }

  private WitnessLog open(ReplicatedLog.Listener listener) {
    log =
        WitnessLog.open(
            node.simulation.scenario.mode(),
            node.parts(),
            node.settings(),
            node.owner,
            listener,
            node.simulation.transportOf(node));
    return log;
  }

  @Override
  public OpenLog log() {
    return log;
  }

  /** Whether the pair has told it that it votes. */
  @Override
  public boolean isInStep() {
    return log.status().members().stream()
        .anyMatch(
            member ->
                member.voter()
                    && member.name().equals(node.host.name)
                    && member.matchedIndex() >= 0); // else it is its former folder
  }

  @Override
  public StateTrace trace() {
    return trace;
  }

  @Override
  public void tick() {
    node.look();
  }
}
