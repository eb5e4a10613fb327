package io.mgtm.gtm.sim;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.LoneLog;
import io.mgtm.group.member.OpenLog;

/** A node without a group, which is a group of one: it leads from its start on. */
final class LoneMember implements SimMember {
  private final SimNode node;
  private final LogOracle logs;
  private final StateTrace trace;
  private LoneLog lone;

  /** Null while it is opened. */
  private WatchedLog log;

  LoneMember(SimNode node) {
    this.node = node;
    this.logs = node.simulation.logs;
    this.trace = new StateTrace(node.host.name);
  }

  @Override
  public void open() {
    node.gtm().lead(this::open, this::watched);
  }

  private LoneLog open(ReplicatedLog.Listener listener) {
    Fault fault = node.simulation.scenario.fault();
    lone =
        LoneLog.open(
            node.parts(),
            node.settings(),
            new WatchedMachine(node.gtm().machine(), trace, fault, node::told, node::restored),
            node.owner,
            new Told(listener));
    return lone;
  }

  /** All that was found counts as committed, and it may append now; it knows nobody's session. */
  private ReplicatedLog watched(LoneLog opened) {
    node.simulation.clients.lost();
    GroupStatus status = opened.status();
    logs.begins(trace, status.term(), status.lastIndex(), status.committedIndex());
    log = new WatchedLog(opened, trace, node.simulation.scenario.fault(), () -> {}, () -> {});
    if (node.forcesAll()) {
      log.countAllAsForced();
    }
    return log;
  }

  @Override
  public OpenLog log() {
    return lone;
  }

  @Override
  public StateTrace trace() {
    return trace;
  }

  @Override
  public void tick() {
    node.settled(Math.min(lone.committedIndex(), trace.applied()));
    node.look();
  }

  /** What the log tells passes through here; while it is opened it tells only that it leads. */
  private final class Told extends PassedOn {
    Told(ReplicatedLog.Listener engine) {
      super(engine);
    }

    @Override
    public void committed(long index) {
      if (log != null) {
        log.lastForcedUpTo(index).ifPresent(logs::forced);
        logs.committed(trace, Math.min(index, trace.applied()));
      }
      super.committed(index);
    }
  }
}
