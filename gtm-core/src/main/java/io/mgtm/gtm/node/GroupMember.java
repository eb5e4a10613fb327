package io.mgtm.gtm.node;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.LoneLog;
import io.mgtm.group.member.MemberLog;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LinkEngine;
import io.mgtm.gtm.wire.link.Leadership;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * This node as a member of its group, which is one of one for a node without a group: what the log
 * tells goes to the engines and the links, and what operators want to the log. Owner thread.
 */
final class GroupMember extends MemberAdmin implements ReplicatedLog.Listener {
  private final GtmConfig config;
  private final GtmStateMachine machine;
  private final Consumer<Leadership> changed;
  private MemberLog log;
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
      GtmConfig config,
      GtmStateMachine machine,
      Consumer<Throwable> fatal,
      Consumer<Leadership> changed) {
    super(fatal);
    this.config = config;
    this.machine = machine;
    this.changed = changed;
  }

  /**
   * Opens the log and joins the group. Nothing is told to the engine before {@link #serve}, because
   * the owner is busy until then.
   */
  MemberLog open(ScheduledExecutorService owner) {
    if (!config.group().exists()) {
      return openBy(
          listener ->
              LoneLog.open(config.data(), MemberSetup.settings(config), machine, owner, listener));
    }
    return openBy(
        listener ->
            GroupLogs.open(
                config.group().mode(),
                config.data(),
                MemberSetup.settings(config),
                MemberSetup.network(config),
                machine,
                owner,
                listener));
  }

  /** As {@link #open(ScheduledExecutorService)}, with a log that is opened otherwise. */
  <L extends MemberLog> L openBy(Function<ReplicatedLog.Listener, L> opener) {
    L opened = opener.apply(this);
    log = opened;
    return opened;
  }

  @Override
  GroupAdmin admin() {
    return log;
  }

  /** From here on the engines are told; without a group there are direct clients too. */
  void serve(LinkEngine with, Engine directly) {
    engine = with;
    direct = directly;
  }

  @Override
  public void committed(long index) {
    if (engine != null) {
      guarded(() -> release(index));
    }
  }

  private void release(long index) {
    if (direct != null) {
      direct.committed(index);
    }
    engine.release();
  }

  @Override
  public void stable(long index) {
    guarded(engine::release);
  }

  @Override
  public void confirmed(long readIndex) {
    guarded(engine::release);
  }

  @Override
  public void leading(long term) {
    if (engine != null) {
      guarded(engine::leading);
      changed.accept(leadership());
    }
  }

  @Override
  public void following(String leader) {
    if (engine != null) {
      guarded(engine::following);
      changed.accept(leadership());
    }
  }

  @Override
  public Leadership leadership() {
    GroupStatus status = log.status();
    boolean alone = !config.group().exists();
    String leader = alone ? config.group().name() : status.leader();
    return new Leadership(
        engine != null && engine.takesGateways(),
        status.term(),
        config.group().name(),
        leader,
        address(leader),
        alone ? null : status.founding());
  }

  private String address(String member) {
    return machine.state().memberAddresses().getOrDefault(member, "");
  }

  @Override
  public NodeStatus status() {
    return MemberSetup.status(config, log.status(), engine.isServing(), machine.state());
  }

  @Override
  public boolean decides() {
    return engine.isServing();
  }

  /** This member's disk is full: another one is asked to lead, unless one was asked already. */
  void yieldLeadership() {
    if (!log.status().transferring()) {
      handOver();
    }
    changed.accept(leadership());
  }

  /** Hands the leadership to the member whose log is farthest; false when there is none to ask. */
  @Override
  public boolean handOver() {
    return engine.isServing()
        && log.status().successors().anyMatch(name -> log.transfer(name).isEmpty());
  }

  @Override
  public boolean isNeeded() {
    // Its vote may be needed again until the next leader is heard.
    return engine.isServing() || log.status().leader().isEmpty();
  }
}
