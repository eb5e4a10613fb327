package io.mgtm.gtm.sim;

import io.mgtm.group.net.Transport;

/** What is planted on the way of a node to the others. */
final class PlantedTransports {
  private PlantedTransports() {}

  /** The transport, or one that makes the mistake of the scenario. */
  static Transport of(SimNode node, Transport transport) {
    Simulation simulation = node.simulation;
    Fault fault = simulation.scenario.fault();
    String witness = simulation.witness;
    return switch (fault) {
      case STALE_INTRODUCTION -> new StaleTransport(transport, node);
      case WITNESS_VOTES_FOR_A_LOG_BEHIND ->
          node.isWitness() ? new LenientVoter(transport, node, false) : transport;
      case ACCEPTED_LOSS_TAKES_ANY_LOG -> new LenientVoter(transport, node, true);
      case WITNESS_VOTES_AT_ITS_START -> new HastyWitness(transport, node);
      case LEADER_GOES_ON_WITHOUT_THE_WITNESS ->
          new TrustedTransport(transport, node, witness, false);
      case RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP, SUCCESSOR_NOT_IN_STEP ->
          new InStepTransport(transport, node, fault);
      case REQUIRED_ACKNOWLEDGED_BEFORE_FORCE -> CreditedTransport.forced(transport, node);
      case QUERY_LEASE_ON_NO_PROMISE -> CreditedTransport.promised(transport, node);
      case NO_LOG_MATCHING -> new MatchingTransport(transport, node);
      case OLDER_COPY_NOT_TOLD -> new UntoldTransport(transport, node);
      case WITNESS_GIVEN_UP_BY_ONE -> new GrantedTransport(transport, node, node::isLossAccepted);
      case WITNESS_THAT_LEARNS_BINDS_NOBODY ->
          new GrantedTransport(transport, node, () -> node.isBesideALearner(witness));
      case LEADER_GOES_ON_AFTER_ITS_LEASE -> new TrustedTransport(transport, node, witness, true);
      default -> transport;
    };
  }
}
