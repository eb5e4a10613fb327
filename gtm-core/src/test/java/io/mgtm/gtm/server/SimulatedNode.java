package io.mgtm.gtm.server;

import io.mgtm.group.GroupMode;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.StateMachine;
import io.mgtm.group.member.GroupLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.config.GroupConfig;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.state.Limits;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * What {@link NodeCore} makes of a member, without sockets: state, engine, and who is told what.
 * Owner thread of the simulated node.
 */
public final class SimulatedNode {
  /** Longer than any schedule: the engine measures it by the machine's own clock. */
  private static final long GRACE_MS = 3_600_000;

  private static final GtmMetrics METRICS = new GtmMetrics(new SimpleMeterRegistry());

  /** Where checkpoints have the recent global xmin: behind version, gxids, latest completed. */
  private static final int RECENT_XMIN_AT = Short.BYTES + 6 * Long.BYTES;

  /** Lets a task run on the owner after a while. */
  public interface Timer {
    void after(long delayMs, Runnable task);
  }

  /**
   * What a node is made with.
   *
   * @param first what a new group begins with
   * @param recoveryWaitMs in mode lazy: how long fronts are waited for
   * @param micros the wall clock
   */
  public record Setup(
      String name,
      GroupMode mode,
      List<Command> first,
      int recoveryWaitMs,
      Executor owner,
      Timer timer,
      LongSupplier micros,
      Consumer<Throwable> fatal) {}

  private final Setup setup;
  private final GtmStateMachine machine;
  private final LinkPeers peers;
  private final GroupMember member;
  private LinkEngine engine;

  public SimulatedNode(Setup setup) {
    this.setup = setup;
    GtmConfig d = GtmConfig.DEFAULTS;
    GtmConfig config =
        new GtmConfig(
            d.data(),
            d.listen(),
            null,
            d.durability(),
            1,
            d.log(),
            d.gxid(),
            d.limits(),
            d.timeouts(),
            new GroupConfig(setup.name(), setup.name() + "=h:1", setup.mode(), null, "sim"),
            d.links());
    machine =
        new GtmStateMachine(
            GtmState.empty(),
            setup.mode() == GroupMode.LAZY,
            () -> setup.owner().execute(this::updatePeers));
    member = new GroupMember(config, machine, setup.fatal(), standing -> updatePeers());
    peers = new LinkPeers(member::standing);
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

  /**
   * Opens the log and joins the group.
   *
   * @param seen what the engine sees of the log
   */
  public void join(
      Function<ReplicatedLog.Listener, GroupLog> opener, Function<GroupLog, ReplicatedLog> seen) {
    ReplicatedLog log = seen.apply(member.openBy(opener));
    engine =
        new LinkEngine(
            new LinkSetup(
                setup.name(),
                member::standing,
                setup::name,
                Limits.NONE,
                setup.first(),
                null,
                1_000,
                GRACE_MS,
                setup.mode() == GroupMode.LAZY
                    ? new LazyLeader.Settings(
                        setup.recoveryWaitMs(), (ms, task) -> setup.timer().after(ms, task))
                    : null,
                member::yieldLeadership),
            machine,
            log,
            setup.owner(),
            setup.micros(),
            METRICS,
            setup.fatal());
    member.serve(engine);
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
    state.fronts().forEach(s -> state.apply(new SessionCommand.CloseSession(s.session())));
  }

  public boolean isServing() {
    return engine != null && engine.isServing();
  }

  LinkPeers peers() {
    return peers;
  }

  void pull(FrontPeer peer, long id, boolean more) {
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
