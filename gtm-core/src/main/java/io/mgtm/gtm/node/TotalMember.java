package io.mgtm.gtm.node;

import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.group.total.TotalLog;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.total.OrderedGtm;
import io.mgtm.gtm.node.total.TotalEngine;
import io.mgtm.gtm.node.total.TotalMachine;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node as a member of a group in mode {@code total}: every member serves. Owner thread.
 *
 * <p>Gateways are told that this node leads, in the same term at all times: so they stay where they
 * are, whichever member makes the order.
 */
final class TotalMember extends MemberAdmin implements OrderedLog.Listener {
  private static final Logger LOG = LoggerFactory.getLogger(TotalMember.class);
  private static final long STANDING_TERM = 1;

  private final GtmConfig config;
  private final OrderedGtm gtm;
  private final Runnable changed;
  private TotalLog log;
  private TotalEngine engine;

  /**
   * A member that is not open yet.
   *
   * @param fatal told when the node cannot go on
   * @param changed told when its leadership may have changed
   */
  TotalMember(GtmConfig config, OrderedGtm gtm, Consumer<Throwable> fatal, Runnable changed) {
    super(fatal);
    this.config = config;
    this.gtm = gtm;
    this.changed = changed;
  }

  /** Opens the log and joins the group; the owner is busy until {@link #serve} was called. */
  TotalLog open(TotalMachine machine, ScheduledExecutorService owner) {
    return openBy(
        listener ->
            TotalLog.open(
                config.data(),
                MemberSetup.settings(config),
                MemberSetup.network(config),
                machine,
                owner,
                listener));
  }

  /** As {@link #open}, with a log that is opened otherwise. */
  TotalLog openBy(Function<OrderedLog.Listener, TotalLog> opener) {
    log = opener.apply(this);
    return log;
  }

  @Override
  GroupAdmin admin() {
    return log;
  }

  /** From here on the engine is told. */
  void serve(TotalEngine with) {
    engine = with;
  }

  @Override
  public void settled(long number) {
    guarded(() -> engine.settled(number));
  }

  @Override
  public void withdrawn(long fromNumber) {
    engine.withdrawn(fromNumber);
  }

  @Override
  public void skipped(long toNumber) {
    engine.skipped();
  }

  @Override
  public void serving(boolean now) {
    guarded(engine::serving);
  }

  @Override
  public void sequencing(boolean now) {
    guarded(() -> engine.sequencing(now));
  }

  @Override
  public void sequencerChanged(String name) {
    changed.run();
  }

  @Override
  public Leadership leadership() {
    GroupStatus status = log.status();
    String sequencer = status.leader();
    return new Leadership(
        engine != null && engine.isServing(),
        STANDING_TERM,
        config.group().name(),
        sequencer,
        gtm.state().memberAddresses().getOrDefault(sequencer, ""),
        status.founding());
  }

  @Override
  public NodeStatus status() {
    return MemberSetup.status(config, log.status(), engine.isServing(), gtm.state());
  }

  @Override
  public boolean decides() {
    return log.isSequencer();
  }

  @Override
  public boolean handOver() {
    boolean others = log.status().successors().findAny().isPresent();
    if (others) {
      engine.retire();
      if (log.isSequencer()) {
        log.status()
            .successors()
            .filter(name -> log.transfer(name).isEmpty())
            .findFirst()
            .ifPresent(name -> LOG.info("{} is to make the order", name));
      }
    }
    return others;
  }

  @Override
  public boolean isNeeded() {
    return log.isSequencer() || engine.pendingReplies() > 0;
  }
}
