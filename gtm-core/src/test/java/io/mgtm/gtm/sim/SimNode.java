package io.mgtm.gtm.sim;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.Role;
import io.mgtm.group.core.Standing;
import io.mgtm.group.member.GroupLog;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.MemberListener;
import io.mgtm.group.member.MemberParts;
import io.mgtm.group.member.MemberThreads;
import io.mgtm.group.storage.LogSettings;
import io.mgtm.group.storage.SimulatedCrash;
import io.mgtm.group.storage.StorageFiles;
import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.server.SimulatedNode;
import java.util.List;
import java.util.concurrent.Executor;

/** A node's process: a member's real log on its host's disk, the real engine, and its gateway. */
final class SimNode extends SimProcess {
  private static final int SEGMENT_BYTES = 16 << 10;
  private static final int TICK_MS = 10;

  private final Simulation simulation;
  private final SimThread force;
  private final SimThread files;
  private final SimulatedNode gtm;
  private final WatchedMachine machine;
  private final DurabilityMode durability;
  private GroupLog group;
  private WatchedLog log;
  private SimFront front;
  private LogException failure;

  SimNode(Simulation simulation, SimHost host, DurabilityMode durability) {
    super(simulation.world, host);
    this.simulation = simulation;
    this.durability = durability;
    force = new SimThread(() -> world.some(host.forceMs * World.MS));
    files = new SimThread(() -> world.some(2 * World.MS));
    gtm =
        new SimulatedNode(
            new SimulatedNode.Setup(
                host.name,
                simulation.scenario.mode(),
                Simulation.firstCommands(),
                2_000,
                owner,
                this::after,
                host.clock::wallMicros,
                this::fatal));
    machine = simulation.watched(host.name, gtm);
  }

  /** Opens the folder, joins the group, and serves. */
  void start() {
    owner.execute(
        () -> {
          try {
            gtm.join(this::open, this::watched);
          } catch (LogException e) {
            fatal(e);
            return;
          }
          front = new SimFront(simulation, this, FrontKind.NODE, simulation.names());
          front.start();
          simulation.opened(front);
          tick();
        });
  }

  private GroupLog open(ReplicatedLog.Listener listener) {
    group =
        GroupLog.open(
            simulation.scenario.mode(),
            new MemberParts(
                files(),
                host.folder,
                () -> {},
                new Threads(),
                simulation.bootOf(host),
                host.clock::nanos,
                () -> host.clock.nanos() / 1_000_000,
                world.random.nextLong()),
            new GroupSettings(
                host.name,
                simulation.configuredFor(host.name),
                durability,
                new LogSettings(SEGMENT_BYTES, 1, 3, 0, 20),
                simulation.core,
                2L * SEGMENT_BYTES,
                world.random.nextInt(4_000),
                TICK_MS),
            machine,
            owner,
            new Told(listener),
            new Settled(),
            simulation.transportOf(this));
    world.trace(
        "%s starts, boot %s, incarnation %d, %s, last %d",
        host.name, host.boot, group.incarnation(), group.status().standing(), group.lastIndex());
    return group;
  }

  private StorageFiles files() {
    Fault fault = simulation.scenario.fault();
    if (fault != Fault.SEND_BEFORE_PERSIST && fault != Fault.VOTE_NOT_PERSISTED) {
      return host.disk;
    }
    LateFiles late = new LateFiles(host.disk, this, fault == Fault.VOTE_NOT_PERSISTED);
    owner.execute(late::plant);
    return late;
  }

  private ReplicatedLog watched(GroupLog opened) {
    log = new WatchedLog(opened, machine, simulation.scenario.fault());
    return log;
  }

  private void tick() {
    gtm.tick();
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
      return files;
    }

    @Override
    public void every(long ms, Runnable task) {
      world.after(
          host.clock.real(ms * World.MS) + world.some(World.MS),
          () -> {
            if (isAlive()) {
              if (!isPaused()) {
                task.run();
              }
              every(ms, task);
            }
          });
    }

    @Override
    public void stop() {
      // They end with the process.
    }
  }

  /** What the log tells passes through here. */
  private final class Told implements ReplicatedLog.Listener {
    private final ReplicatedLog.Listener engine;

    Told(ReplicatedLog.Listener engine) {
      this.engine = engine;
    }

    @Override
    public void committed(long index) {
      log.lastForcedUpTo(index).ifPresent(simulation.logs::forced);
      engine.committed(index);
    }

    @Override
    public void stable(long index) {
      engine.stable(index);
    }

    @Override
    public void confirmed(long ticket) {
      engine.confirmed(ticket);
    }

    @Override
    public void leading(long term, boolean repliesMayBeLost) {
      world.trace("%s serves term %d, last %d", host.name, term, log.lastIndex());
      simulation.logs.begins(machine, term, log.lastIndex());
      log.forgetForced();
      engine.leading(term, repliesMayBeLost);
    }

    @Override
    public void following(String leader) {
      if (log != null) {
        log.forgetForced();
      }
      engine.following(leader);
    }

    @Override
    public void failed(LogException cause) {
      engine.failed(cause);
    }
  }

  private final class Settled implements MemberListener {
    @Override
    public void settled(long index) {
      simulation.logs.committed(machine, index);
      if (machine.applied() <= index && world.oneIn(16)) {
        simulation.logs.state(
            host.name, machine.applied(), SimulatedNode.comparable(machine.state()));
      }
    }

    @Override
    public void ticked(long nowMs) {
      GroupStatus status = group.status();
      if (status.role() == Role.LEADER) {
        simulation.logs.leads(host.name + host.folder, status.term());
      }
      if (status.standing() == Standing.INTACT && isVoter(status) && !status.leader().isEmpty()) {
        simulation.inStep(SimNode.this);
      }
    }
  }

  /** Whether the group knows this folder, and not only one of the same name. */
  private boolean isVoter(GroupStatus status) {
    return group.isMember(group.self())
        && status.members().stream().anyMatch(m -> m.voter() && m.name().equals(host.name));
  }

  private void fatal(Throwable cause) {
    if (cause instanceof SimulatedCrash crash) {
      throw crash;
    }
    if (cause instanceof Violation violation) {
      throw violation;
    }
    if (!(cause instanceof LogException e) || e.getCause() instanceof RuntimeException) {
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
    return front != null;
  }

  SimulatedNode gtm() {
    return gtm;
  }

  WatchedMachine machine() {
    return machine;
  }

  /** Its log, for what an operator asks of it. */
  GroupLog log() {
    return group;
  }

  /** What it knows of the group; null before it is open. */
  GroupStatus status() {
    return group == null ? null : group.status();
  }

  SimFront front() {
    return front;
  }

  @Override
  void die() {
    super.die();
    if (front != null) {
      front.died();
    }
  }

  /** Where members are, for what asks it of the group. */
  List<String> voters() {
    return group.status().members().stream()
        .filter(GroupStatus.Member::voter)
        .map(GroupStatus.Member::name)
        .toList();
  }
}
