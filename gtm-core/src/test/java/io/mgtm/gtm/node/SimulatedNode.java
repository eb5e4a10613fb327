package io.mgtm.gtm.node;

import io.mgtm.group.GroupMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.group.total.OrderedMachine;
import io.mgtm.group.total.TotalLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionReply;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.node.connection.LinkPeers;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.EngineParts;
import io.mgtm.gtm.node.engine.EngineSetup;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.GatewayPeer;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LazyLeader;
import io.mgtm.gtm.node.engine.LeaderEngine;
import io.mgtm.gtm.node.engine.LinkEngine;
import io.mgtm.gtm.node.engine.LinkWork;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.node.total.OrderedGtm;
import io.mgtm.gtm.node.total.TotalEngine;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.mgtm.gtm.wire.link.Leadership;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * What {@link NodeCore} makes of a member, without sockets: state, engine, and who is told what.
 * Owner thread of the simulated node.
 */
public final class SimulatedNode {
  private static final long GRACE_MS = 6_000;

  private static final RequestMetrics METRICS = new RequestMetrics(new SimpleMeterRegistry());

  /** Where checkpoints have the recent global xmin: behind version, gxids, latest completed. */
  private static final int RECENT_XMIN_AT = Short.BYTES + 6 * Long.BYTES;

  /** Lets a task run on the owner after a while. */
  public interface Timer {
    void after(long delayMs, Runnable task);
  }

  /**
   * What a node is made with.
   *
   * @param alone whether it has no group
   * @param first what a new group begins with
   * @param recoveryWaitMs in mode lazy: how long gateways are waited for
   * @param micros the wall clock
   * @param nanos monotonic
   * @param random of numbers that no other process draws
   */
  public record Setup(
      String name,
      GroupMode mode,
      boolean alone,
      List<Command> first,
      int recoveryWaitMs,
      Executor owner,
      Timer timer,
      LongSupplier micros,
      LongSupplier nanos,
      RandomGenerator random,
      Consumer<Throwable> fatal) {}

  private final Setup setup;
  private final GtmConfig config;
  private final GtmStateMachine machine;
  private final LinkPeers peers = new LinkPeers(this::leadership);

  private final OrderedGtm ordered;
  private final GroupMember member;
  private LinkEngine engine;

  public SimulatedNode(Setup setup) {
    this.setup = setup;
    config =
        TestConfigs.with(
            new GroupConfig(
                setup.name(),
                setup.alone() ? null : setup.name() + "=h:1",
                setup.mode(),
                null,
                "sim"));
    machine = new GtmStateMachine(GtmState.empty(), () -> setup.owner().execute(this::updatePeers));
    ordered = new OrderedGtm(machine);
    member = new GroupMember(config, machine, setup.fatal(), this::updatePeers);
  }

  private Leadership leadership() {
    return member.leadership();
  }

  private void updatePeers() {
    if (engine != null) {
      peers.update();
    }
  }

  /** The state, for the log. */
  public StateMachine machine() {
    return machine;
  }

  /** What proposals do to the state, in mode total. */
  public OrderedMachine ordering() {
    return ordered;
  }

  /**
   * Opens the log and joins the group.
   *
   * @param seen what the engine sees of the log
   */
  public <L extends OpenLog> void join(
      Function<OrderedLog.Listener, L> opener, Function<L, ReplicatedLog> seen) {
    ReplicatedLog log = seen.apply(member.open(opener));
    serve(new LeaderEngine(engineSetup(), machine, log, parts()));
  }

  /** The same without a group: the log leads when it is open, and there are direct clients too. */
  public <L extends OpenLog> void lead(
      Function<OrderedLog.Listener, L> opener, Function<L, ReplicatedLog> seen) {
    ReplicatedLog log = seen.apply(member.open(opener));
    Engine direct = new Engine(machine, log, setup.micros(), METRICS);
    if (!machine.state().started()) {
      direct.initialize(setup.first());
    }
    direct.restart();
    engine = new LeaderEngine(engineSetup(), machine, log, parts());
    member.serve(engine, direct);
    engine.leading();
  }

  /** The same where every member proposes. */
  public void propose(Function<OrderedLog.Listener, TotalLog> opener) {
    serve(new TotalEngine(engineSetup(), ordered, member.open(opener), parts()));
  }

  private EngineSetup engineSetup() {
    return new EngineSetup(
        setup.name(),
        this::leadership,
        this::updatePeers,
        setup::name,
        Limits.NONE,
        setup.first(),
        null,
        1_000,
        GRACE_MS,
        new LazyLeader.Settings(
            setup.recoveryWaitMs(), (ms, task) -> setup.timer().after(ms, task)),
        setup.alone() ? null : member::yieldLeadership,
        setup.random());
  }

  private EngineParts parts() {
    EngineTime time = new EngineTime(setup.micros(), setup.nanos());
    return new EngineParts(setup.owner(), time, METRICS, setup.fatal());
  }

  private void serve(LinkEngine with) {
    engine = with;
    member.serve(with, null);
  }

  /** As the node's clock does it now and then. */
  public void tick() {
    engine.tick();
    peers.update();
  }

  /** A fault: nobody's session is known any more. */
  public void forgetSessions() {
    GtmState state = machine.state();
    state.beginEntry(state.changedMicros());
    state.gateways().forEach(s -> state.apply(new SessionCommand.CloseSession(s.session())));
  }

  public boolean isServing() {
    return engine != null && engine.isServing();
  }

  /** Whether this node leads and serves, or makes the order. */
  public boolean decides() {
    return engine != null && engine.decides();
  }

  /** The open transactions of a session. */
  public Set<Integer> openOf(long session) {
    TransactionReply.TransactionList list =
        (TransactionReply.TransactionList)
            machine.state().apply(new TransactionCommand.ListTransactions());
    return list.transactions().stream()
        .filter(open -> open.session() == session)
        .map(TransactionReply.TransactionInfo::gxid)
        .collect(Collectors.toSet());
  }

  LinkPeers peers() {
    return peers;
  }

  void pull(GatewayPeer peer, long id, boolean more) {
    engine.pull(peer, id, more);
  }

  void submit(LinkWork work) {
    engine.submit(work);
  }

  /** A checkpoint without what each snapshot computes anew. */
  public static byte[] comparable(byte[] checkpoint) {
    byte[] copy = checkpoint.clone();
    Arrays.fill(copy, RECENT_XMIN_AT, RECENT_XMIN_AT + Long.BYTES, (byte) 0);
    return copy;
  }
}
