package io.mgtm.gtm.sim;

import io.mgtm.group.LogException;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.group.total.OriginTable;
import io.mgtm.group.total.PlantedTotal;
import io.mgtm.group.total.TotalLog;
import io.mgtm.group.total.TotalSettings;

/** A member of a group in mode total, where all accept commands. */
final class EqualMember implements SimMember {
  private static final TotalSettings TIMES = new TotalSettings(16, 256 << 10, 400, 100, 40);

  private final SimNode node;
  private final Simulation simulation;
  private final StateTrace trace;
  private final WatchedOrder machine;
  private OrderedLog.Listener told;
  private TotalLog log;

  /** What its checkpoint said at its start. */
  private long known;

  EqualMember(SimNode node) {
    this.node = node;
    this.simulation = node.simulation;
    this.trace = new StateTrace(node.host.name);
    this.machine =
        new WatchedOrder(
            node.gtm().ordering(),
            trace,
            node::told,
            node::restored,
            simulation.scenario.fault(),
            this::appliedOwn);
  }

  @Override
  public void open() {
    node.gtm().propose(this::open);
    known = log.status().committedIndex();
  }

  private TotalLog open(OrderedLog.Listener listener) {
    told = new Told(listener);
    log =
        TotalLog.open(
            node.parts(),
            node.settings(),
            TIMES,
            table(),
            machine,
            node.owner,
            told,
            simulation.transportOf(node));
    return log;
  }

  private OriginTable table() {
    return switch (simulation.scenario.fault()) {
      case REPEATED_PROPOSAL_NOT_DROPPED -> PlantedTotal.forgetsNumbers();
      case CHECKPOINT_FORGETS_ORIGINS -> PlantedTotal.leavesNothingBehind();
      default -> new OriginTable();
    };
  }

  /** A planted fault: the reply leaves as soon as there is one. */
  private void appliedOwn(long number) {
    if (simulation.scenario.fault() == Fault.ACKNOWLEDGE_BEFORE_MAJORITY) {
      node.owner.execute(() -> told.committed(number));
    }
  }

  @Override
  public OpenLog log() {
    return log;
  }

  @Override
  public StateTrace trace() {
    return trace;
  }

  @Override
  public void tick() {
    GroupStatus status = log.status();
    long settled = Math.min(status.committedIndex(), status.appliedIndex());
    // What it knows since before its start the group may have lost, which a leader tells it.
    if (settled > known) {
      node.settled(settled);
    }
    node.look();
  }

  /** What becomes of proposals passes through here. */
  private final class Told implements OrderedLog.Listener {
    private final OrderedLog.Listener engine;

    Told(OrderedLog.Listener engine) {
      this.engine = engine;
    }

    @Override
    public void committed(long number) {
      machine.lastForcedUpTo(number).ifPresent(simulation.logs::forced);
      engine.committed(number);
    }

    @Override
    public void withdrawn(long fromNumber) {
      machine.withdrawn(fromNumber);
      engine.withdrawn(fromNumber);
    }

    @Override
    public void skipped(long toNumber) {
      engine.skipped(toNumber);
    }

    @Override
    public void serving(boolean now) {
      engine.serving(now);
    }

    @Override
    public void leading(long term) {
      GroupStatus now = log.status();
      node.world.trace(
          "%s makes the order of term %d, last %d", node.host.name, term, now.lastIndex());
      simulation.logs.begins(trace, term, now.lastIndex(), now.committedIndex());
      engine.leading(term);
    }

    @Override
    public void following(String leader) {
      engine.following(leader);
    }

    @Override
    public void failed(LogException cause) {
      engine.failed(cause);
    }
  }
}
