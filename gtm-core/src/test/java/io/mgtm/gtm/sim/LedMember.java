package io.mgtm.gtm.sim;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.member.GroupLog;
import io.mgtm.group.member.MemberListener;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.net.Transport;

/** A member of a group that one leads. */
final class LedMember implements SimMember {
  private final SimNode node;
  private final Simulation simulation;
  private final StateTrace trace;
  private GroupLog group;
  private WatchedLog log;
  private long term;

  LedMember(SimNode node) {
    this.node = node;
    this.simulation = node.simulation;
    this.trace = new StateTrace(node.host.name);
  }

  @Override
  public void open() {
    node.gtm().join(this::open, this::watched);
  }

  private GroupLog open(ReplicatedLog.Listener listener) {
    Transport transport = simulation.transportOf(node);
    Fault fault = simulation.scenario.fault();
    group =
        GroupLog.open(
            simulation.scenario.mode(),
            node.parts(),
            node.settings(),
            new WatchedMachine(node.gtm().machine(), trace, fault, node::told, node::restored),
            node.owner,
            new Told(listener),
            new Settled(),
            transport);
    if (fault == Fault.RESTARTED_MEMBER_THINKS_IT_IS_IN_STEP) {
      simulation.hosts().values().stream()
          .filter(host -> host != node.host)
          .map(host -> new MemberId(host.name, host.folder))
          .forEach(other -> sayThatItIsInStep(other, (InStepTransport) transport));
    }
    return group;
  }

  private void sayThatItIsInStep(MemberId other, InStepTransport transport) {
    transport.makeUp(other, new Message.CaughtUp(group.status().term(), group.incarnation()));
  }

  private ReplicatedLog watched(GroupLog opened) {
    log =
        new WatchedLog(opened, trace, simulation.scenario.fault(), this::answers, this::readsAlone);
    return log;
  }

  /** Beside a witness a leader of mode lazy does so under a lease, and asks nobody. */
  private void answers() {
    if (simulation.scenario.isLazy() && simulation.scenario.witnessed()) {
      simulation.logs.answers(node.host.name, term);
    }
  }

  private void readsAlone() {
    node.world.note(Happening.QUERY_LEASED);
  }

  @Override
  public OpenLog log() {
    return group;
  }

  @Override
  public boolean isInStep() {
    return group.isInStep();
  }

  @Override
  public StateTrace trace() {
    return trace;
  }

  /** What the log tells passes through here. */
  private final class Told extends PassedOn {
    Told(ReplicatedLog.Listener engine) {
      super(engine);
    }

    @Override
    public void committed(long index) {
      log.lastForcedUpTo(index).ifPresent(simulation.logs::forced);
      super.committed(index);
    }

    @Override
    public void leading(long inTerm, boolean repliesMayBeLost) {
      term = inTerm;
      node.world.trace("%s serves term %d, last %d", node.host.name, term, log.lastIndex());
      simulation.logs.begins(trace, term, log.lastIndex(), group.status().committedIndex());
      log.forgetForced();
      super.leading(term, repliesMayBeLost);
    }

    @Override
    public void following(String leader) {
      if (log != null) {
        log.forgetForced();
      }
      super.following(leader);
    }
  }

  private final class Settled implements MemberListener {
    @Override
    public void settled(long index) {
      node.settled(index);
    }

    @Override
    public void ticked(long nowMs) {
      node.look();
    }
  }
}
