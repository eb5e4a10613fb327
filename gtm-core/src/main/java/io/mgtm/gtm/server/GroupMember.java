package io.mgtm.gtm.server;

import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.ManagedLog;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.config.HostPort;
import io.mgtm.gtm.wire.link.Standing;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * This node as a member of its group: what the log tells goes to the engine and the links, and what
 * operators want to the log. Owner thread.
 */
final class GroupMember implements GroupControl, ReplicatedLog.Listener {
  private static final String NOT_NAMED = "\"%s\" is no name of a member";
  private static final int TAIL_BYTES = 16 << 20;
  private static final int TICK_MS = 10;

  private final GtmConfig config;
  private final GtmStateMachine machine;
  private final Consumer<Throwable> fatal;
  private final Consumer<Standing> changed;
  private ManagedLog log;
  private LinkEngine engine;

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
      Consumer<Standing> changed) {
    this.config = config;
    this.machine = machine;
    this.fatal = fatal;
    this.changed = changed;
  }

  /**
   * Opens the log and joins the group. Nothing is told to the engine before {@link #serve}, because
   * the owner is busy until then.
   */
  ManagedLog open(Executor owner) {
    Map<String, HostPort> members = config.group().memberAddresses();
    String name = config.group().name();
    List<InetSocketAddress> hosts = members.values().stream().map(HostPort::resolve).toList();
    JGroupsSettings network =
        new JGroupsSettings(
            config.group().cluster(),
            members.get(name).resolve(),
            hosts,
            JGroupsSettings.of(name, members.get(name).resolve(), hosts).suspectMs(),
            keys(),
            Optional.ofNullable(config.group().stackFile()));
    log =
        GroupLogs.open(
            config.group().mode(), config.data(), settings(), network, machine, owner, this);
    return log;
  }

  private Optional<JGroupsSettings.Tls> keys() {
    if (config.group().keyStore() == null) {
      return Optional.empty();
    }
    try {
      String password = LinkTls.firstLine("group.passwordFile", config.group().passwordFile());
      return Optional.of(new JGroupsSettings.Tls(config.group().keyStore(), password));
    } catch (IOException e) {
      throw new LogException(LogException.Category.ACCESS, e.getMessage(), e);
    }
  }

  private GroupSettings settings() {
    LogSettings base = LogSettings.defaults();
    return new GroupSettings(
        config.group().name(),
        List.copyOf(config.group().memberAddresses().keySet()),
        config.durability(),
        new LogSettings(
            config.log().segmentBytes(),
            base.sparesAhead(),
            base.sparesMax(),
            base.roomWaitMs(),
            base.roomRetryMs()),
        CoreSettings.defaults(),
        config.log().checkpointBytes(),
        TAIL_BYTES,
        TICK_MS);
  }

  /** From here on the engine is told. */
  void serve(LinkEngine with) {
    engine = with;
  }

  @Override
  public void committed(long index) {
    guarded(engine::release);
  }

  @Override
  public void stable(long index) {
    guarded(engine::release);
  }

  @Override
  public void confirmed(long ticket) {
    guarded(engine::release);
  }

  @Override
  public void leading(long term) {
    guarded(engine::leading);
    changed.accept(standing());
  }

  @Override
  public void following(String leader) {
    if (engine != null) {
      guarded(engine::following);
      changed.accept(standing());
    }
  }

  @Override
  public void failed(LogException cause) {
    fatal.accept(cause);
  }

  /** What the engine throws must not be taken for a failure of the log. */
  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      fatal.accept(e);
    }
  }

  /** How this node stands now. */
  Standing standing() {
    GroupStatus status = log.status();
    return new Standing(
        engine != null && engine.takesFronts(),
        status.term(),
        status.name(),
        status.leader(),
        address(status.leader()));
  }

  private String address(String member) {
    return machine.state().memberAddresses().getOrDefault(member, "");
  }

  @Override
  public NodeStatus status() {
    GroupStatus s = log.status();
    return new NodeStatus(
        s.name(),
        config.group().mode().label(),
        s.role() == Role.LEADER ? "leader" : s.role() == Role.FOLLOWER ? "follower" : "candidate",
        engine.isServing(),
        s.transferring(),
        s.term(),
        s.leader(),
        address(s.leader()),
        s.lastIndex(),
        s.committedIndex(),
        s.appliedIndex(),
        machine.state().counts().sessions(),
        s.members().stream()
            .map(member -> status(s, member))
            .sorted(Comparator.comparing(NodeStatus.MemberStatus::name))
            .toList());
  }

  private NodeStatus.MemberStatus status(GroupStatus s, GroupStatus.Member member) {
    boolean known = s.role() == Role.LEADER && member.matchedIndex() >= 0;
    return new NodeStatus.MemberStatus(
        member.name(),
        member.voter(),
        s.connected().contains(member.name()),
        known ? member.matchedIndex() : -1,
        known ? Math.max(0, s.lastIndex() - member.matchedIndex()) : -1,
        address(member.name()));
  }

  @Override
  public Optional<String> transfer(String member) {
    return log.transfer(member);
  }

  @Override
  public Optional<String> add(String member) {
    return io.mgtm.gtm.wire.link.LinkFormat.isName(member)
        ? log.add(member)
        : Optional.of(NOT_NAMED.formatted(member));
  }

  @Override
  public Optional<String> remove(String member) {
    return log.remove(member);
  }

  @Override
  public Optional<String> acceptLoss() {
    log.acceptLoss();
    return Optional.empty();
  }

  /** This member's disk is full: whether another one was asked to lead. */
  boolean yieldLeadership() {
    boolean asked = log.status().transferring() || handOver();
    changed.accept(standing());
    return asked;
  }

  /** Hands the leadership to the member whose log is farthest; false when there is none to ask. */
  boolean handOver() {
    if (!engine.isServing()) {
      return false;
    }
    GroupStatus s = log.status();
    return s.members().stream()
        .filter(m -> m.voter() && !m.name().equals(s.name()) && s.connected().contains(m.name()))
        .sorted(Comparator.comparingLong(GroupStatus.Member::matchedIndex).reversed())
        .anyMatch(m -> log.transfer(m.name()).isEmpty());
  }
}
