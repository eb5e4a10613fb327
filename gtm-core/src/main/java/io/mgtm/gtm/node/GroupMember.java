package io.mgtm.gtm.node;

import io.mgtm.group.LogException;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LinkEngine;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * This node as a member of its group, which is one of one for a node without a group: what the log
 * tells goes to the engines and the links, and what operators want to the log. Owner thread.
 */
final class GroupMember implements OrderedLog.Listener {
  private final GtmConfig config;
  private final GtmStateMachine machine;
  private final Consumer<Throwable> fatal;
  private final Runnable changed;
  private OpenLog log;

  /** Null while the log is opened. */
  private LinkEngine engine;

  /** That of direct clients, without a group; null in one. */
  private Engine direct;

  /**
   * A member that is not open yet.
   *
   * @param fatal told when the node cannot go on
   * @param changed told when who leads has changed
   */
  GroupMember(
      GtmConfig config, GtmStateMachine machine, Consumer<Throwable> fatal, Runnable changed) {
    this.config = config;
    this.machine = machine;
    this.fatal = fatal;
    this.changed = changed;
  }

  /**
   * Opens the log and joins the group. Nothing is told to the engine before {@link #serve}, because
   * the owner is busy until then.
   */
  <L extends OpenLog> L open(Function<OrderedLog.Listener, L> opener) {
    L opened = opener.apply(this);
    log = opened;
    return opened;
  }

  /** From here on the engines are told; without a group there are direct clients too. */
  void serve(LinkEngine with, Engine directly) {
    engine = with;
    direct = directly;
  }

  @Override
  public void failed(LogException cause) {
    fatal.accept(cause);
  }

  /** What the engine throws must not be taken for a failure of the log. */
  private void guarded(Runnable task) {
    if (engine == null) {
      return;
    }
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      fatal.accept(e);
    }
  }

  @Override
  public void committed(long index) {
    guarded(
        () -> {
          if (direct != null) {
            direct.committed(index);
          }
          engine.committed(index);
        });
  }

  @Override
  public void stable(long index) {
    guarded(() -> engine.release());
  }

  @Override
  public void confirmed(long readIndex) {
    guarded(() -> engine.release());
  }

  @Override
  public void withdrawn(long fromNumber) {
    guarded(() -> engine.withdrawn(fromNumber));
  }

  @Override
  public void skipped(long toNumber) {
    guarded(() -> engine.skipped(toNumber));
  }

  @Override
  public void serving(boolean now) {
    guarded(() -> engine.serving(now));
  }

  @Override
  public void leading(long term) {
    guarded(
        () -> {
          engine.leading();
          changed.run();
        });
  }

  @Override
  public void following(String leader) {
    guarded(
        () -> {
          engine.following();
          changed.run();
        });
  }

  /** How this node stands now. */
  Leadership leadership() {
    GroupStatus status = log.status();
    boolean alone = !config.group().exists();
    String name = config.group().name();
    String leader = alone ? name : status.leader();
    boolean open = engine != null;
    return new Leadership(
        open && engine.takesGateways(),
        open ? engine.term(status.term()) : status.term(),
        name,
        leader,
        machine.state().memberAddresses().getOrDefault(leader, ""),
        alone ? null : status.founding());
  }

  /** What this node tells operators. */
  NodeStatus status() {
    return MemberSetup.status(config, log.status(), engine.isServing(), machine.state());
  }

  /** This member's disk is full: another one is asked to lead, unless one was asked already. */
  void yieldLeadership() {
    if (!log.status().transferring()) {
      handOver();
    }
    changed.run();
  }

  /** Lets others take over before this node stops; false when there is nobody or nothing to do. */
  boolean handOver() {
    return engine.handOver(log);
  }

  /** Whether others have not taken over yet. */
  boolean isNeeded() {
    return engine.isNeeded(log);
  }
}
