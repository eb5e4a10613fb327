package io.mgtm.gtm.sim;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.Role;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.MemberParts;
import io.mgtm.group.member.MemberThreads;
import io.mgtm.group.member.PlantedTerms;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.PlantedStorage;
import io.mgtm.group.storage.SimulatedCrash;
import io.mgtm.group.storage.StorageFiles;
import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.node.SimulatedNode;
import java.util.List;
import java.util.concurrent.Executor;

/** A node's process: a member's real log on its host's disk, the real engine, and its gateway. */
final class SimNode extends SimProcess {
  private static final int SEGMENT_BYTES = 16 << 10;
  private static final int TICK_MS = 10;

  final Simulation simulation;
  private final SimThread force;
  private final SimThread files;
  private final SimThread checkpoints;
  private final SimulatedNode gtm;
  private final SimMember member;
  private final DurabilityMode durability;
  private SimGateway gateway;
  private boolean open;
  private boolean lossAccepted;
  private LogException failure;

  SimNode(Simulation simulation, SimHost host, DurabilityMode durability) {
    super(simulation.world, host);
    this.simulation = simulation;
    this.durability = durability;
    force = new SimThread(this::forceNanos);
    files = new SimThread(() -> world.some(2 * World.MS));
    checkpoints = new SimThread(() -> world.some(20 * World.MS));
    gtm =
        new SimulatedNode(
            new SimulatedNode.Setup(
                host.name,
                simulation.scenario.mode(),
                simulation.scenario.alone(),
                Simulation.firstCommands(),
                simulation.recoveryWaitMs(),
                owner,
                this::after,
                host.clock::wallMicros,
                host.clock::nanos,
                world.random,
                this::fatal));
    member = SimMember.of(this);
  }

  private long forceNanos() {
    if (host.forceMs > SimHost.FORCE_MS) {
      world.note(Happening.SYNC_SLOW);
    }
    return world.some(host.forceMs * World.MS);
  }

  /** Opens the folder, joins the group, and serves. */
  void start() {
    owner.execute(
        () -> {
          try {
            plantOnDisk();
            member.open();
          } catch (LogException e) {
            fatal(e);
            return;
          }
          world.trace(
              "%s starts, boot %s, %s, last %d",
              host.name, host.boot, status().durabilityState(), status().lastIndex());
          if (!isWitness()) {
            gateway = new SimGateway(simulation, this, GatewayKind.NODE, simulation.names());
            gateway.start();
            simulation.opened(gateway);
          }
          open = true;
          tick();
        });
  }

  private void plantOnDisk() {
    switch (simulation.scenario.fault()) {
      case FAILED_SYNC_FORGOTTEN -> PlantedStorage.forgetFailedForce(host.disk, host.folder);
      case DAMAGE_NOT_NOTICED -> PlantedStorage.forgetWritten(host.disk, host.folder);
      case FOREIGN_DURABILITY -> {
        if (durability == DurabilityMode.ALL) {
          PlantedTerms.claimSynced(host.disk);
        }
      }
      default -> {}
    }
  }

  /** What its log stands on. */
  MemberParts parts() {
    return new MemberParts(
        files(),
        host.folder,
        () -> {},
        new Threads(),
        simulation.bootOf(host),
        host.clock::nanos,
        () -> host.clock.wallMicros() / 1_000,
        world.random.nextLong());
  }

  GroupSettings settings() {
    LogSettings segments = new LogSettings(SEGMENT_BYTES, 1, 3, 0, 20);
    if (simulation.scenario.alone()) {
      return GroupSettings.alone(durability, segments, 2L * SEGMENT_BYTES);
    }
    List<String> names = simulation.configuredFor(host.name);
    return new GroupSettings(
        host.name,
        new Configured(names, names.contains(simulation.witness) ? simulation.witness : ""),
        durability,
        segments,
        core(),
        2L * SEGMENT_BYTES,
        world.random.nextInt(4_000),
        TICK_MS);
  }

  private CoreSettings core() {
    boolean promisesNothing =
        simulation.scenario.fault() == Fault.QUERY_LEASE_ON_NO_PROMISE
            && !host.name.equals(simulation.names().get(0));
    return promisesNothing ? simulation.core.withQueryLeaseMs(0) : simulation.core;
  }

  /** Whether it keeps no data. */
  boolean isWitness() {
    return host.name.equals(simulation.witness);
  }

  private StorageFiles files() {
    return switch (simulation.scenario.fault()) {
      case SEND_BEFORE_PERSIST -> late("term", 60);
      case VOTE_NOT_PERSISTED -> late("term", LateFiles.NEVER);
      case WITNESS_ACKNOWLEDGES_BEFORE_STORING -> late("witness", 150);
      default -> host.disk;
    };
  }

  private StorageFiles late(String name, long ms) {
    LateFiles late = new LateFiles(host.disk, this, name, ms);
    owner.execute(late::plant);
    return late;
  }

  private void tick() {
    gtm.tick();
    member.tick();
    after(TICK_MS + world.random.nextLong(10), this::tick);
  }

  /** The threads of a member, as far as it does not own itself. */
  private final class Threads implements MemberThreads {
    @Override
    public Executor force() {
      return force;
    }

    @Override
    public Executor files() {
      // A node without a group waits for a file that is made, as nobody else could lead.
      return simulation.scenario.alone() ? Runnable::run : files;
    }

    @Override
    public Executor checkpoints() {
      return checkpoints;
    }

    @Override
    public void after(long ms, Runnable task) {
      world.after(host.clock.real(ms * World.MS) + world.some(World.MS), () -> owner.execute(task));
    }

    @Override
    public void stop() {
      // They end with the process.
    }
  }

  /** It was told that entries may be missing. */
  void told() {
    simulation.logs.told(host.name);
  }

  /** Its state was replaced by a checkpoint. */
  void restored() {
    if (open) {
      world.note(Happening.CHECKPOINT_TAKEN);
    }
    if (simulation.scenario.fault() == Fault.CHECKPOINT_FORGETS_SESSIONS) {
      gtm.forgetSessions();
    }
  }

  /** Its member knows all up to an index as committed. */
  void settled(long index) {
    simulation.logs.committed(member.trace(), index);
    if (member.trace().applied() <= index) {
      compareState();
    }
  }

  /** All that its state shows is committed. */
  private void compareState() {
    if (world.oneIn(16)) {
      simulation.logs.state(
          host.name,
          member.trace().applied(),
          SimulatedNode.comparable(gtm.machine().picture().bytes()));
    }
  }

  /** Looks at how it stands. */
  void look() {
    GroupStatus status = status();
    simulation.voters.look(status);
    if (status.role() == Role.LEADER) {
      simulation.logs.leads(host.name + host.folder, status.term());
    }
    if (status.durabilityState() == DurabilityState.INTACT
        && isVoter(status)
        && !status.leader().isEmpty()) {
      simulation.inStep(this);
    }
  }

  /** Whether the group knows this folder, and not only one of the same name. */
  private boolean isVoter(GroupStatus status) {
    return simulation.scenario.alone() || isNamedVoter(status);
  }

  private boolean isNamedVoter(GroupStatus status) {
    return status.members().stream()
        .anyMatch(m -> m.voter() && m.name().equals(host.name) && m.matchedIndex() >= 0);
  }

  /** It cannot go on. */
  void fatal(Throwable cause) {
    SimulatedCrash.passOn(cause);
    if (cause instanceof Violation violation) {
      throw violation;
    }
    if (!(cause instanceof LogException e)
        || e.getCause() instanceof RuntimeException
        || e.getCause() instanceof Error) {
      throw world.violated(host.name + " stops: " + cause, cause);
    }
    failure = e;
    world.trace("%s stops: %s", host.name, cause.getMessage());
    simulation.stopped(this, e);
  }

  LogException failure() {
    return failure;
  }

  boolean isOpen() {
    return open;
  }

  SimulatedNode gtm() {
    return gtm;
  }

  StateTrace trace() {
    return member.trace();
  }

  /** Whether its configuration says another durability. */
  boolean differsFrom(SimNode other) {
    return durability != other.durability;
  }

  /** Whether all that it acknowledges is synced. */
  boolean forcesAll() {
    return durability == DurabilityMode.ALL;
  }

  /** What an operator asks of it. */
  GroupAdmin admin() {
    return member.log().admin();
  }

  /** An operator does not want it to wait for those who are gone. */
  void acceptLoss() {
    lossAccepted = admin().acceptLoss().isEmpty();
    if (lossAccepted) {
      world.note(Happening.LOSS_ACCEPTED);
    }
  }

  /** Whether that is so still, for want of a leader. */
  boolean isLossAccepted() {
    lossAccepted = lossAccepted && status().leader().isEmpty();
    return lossAccepted;
  }

  /** Whether its group has a member of a name that does not vote. */
  boolean isBesideALearner(String name) {
    return status().members().stream().anyMatch(m -> m.name().equals(name) && !m.voter());
  }

  /** What it knows of the group; null before it is open. */
  GroupStatus status() {
    return member.log() == null ? null : member.log().status();
  }

  /** In mode lazy: whether the others may be lost. */
  boolean isInStep() {
    return isAlive() && isOpen() && !isPaused() && member.isInStep();
  }

  /** Whether it leads and serves, or makes the order. */
  boolean decides() {
    return isOpen() && gtm.decides();
  }

  /** Null for a witness, and before it is open. */
  SimGateway gateway() {
    return gateway;
  }

  @Override
  Happening standingStill() {
    return Happening.STOOD_STILL;
  }

  @Override
  void die() {
    super.die();
    if (gateway != null) {
      gateway.died();
    }
  }

  /** Where members are, for what asks it of the group. */
  List<String> voters() {
    if (simulation.scenario.alone()) {
      return List.of(host.name); // which it has no use for itself
    }
    return status().members().stream()
        .filter(GroupStatus.Member::voter)
        .map(GroupStatus.Member::name)
        .toList();
  }
}
