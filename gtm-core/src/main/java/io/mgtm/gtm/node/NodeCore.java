package io.mgtm.gtm.node;

import io.mgtm.common.HostPort;
import io.mgtm.common.Rarely;
import io.mgtm.group.LogException;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.member.OpenLog;
import io.mgtm.group.total.OrderedLog;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.config.GtmConfig;
import io.mgtm.gtm.gateway.Gateway;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.node.admin.AdminService;
import io.mgtm.gtm.node.admin.NodePage;
import io.mgtm.gtm.node.admin.NodeStatus;
import io.mgtm.gtm.node.admin.StateCounts;
import io.mgtm.gtm.node.backup.BackupFile;
import io.mgtm.gtm.node.backup.Restore;
import io.mgtm.gtm.node.backup.Takeover;
import io.mgtm.gtm.node.connection.LinkKeys;
import io.mgtm.gtm.node.connection.LinkPeers;
import io.mgtm.gtm.node.connection.LinkService;
import io.mgtm.gtm.node.engine.Engine;
import io.mgtm.gtm.node.engine.EngineParts;
import io.mgtm.gtm.node.engine.EngineSetup;
import io.mgtm.gtm.node.engine.EngineTime;
import io.mgtm.gtm.node.engine.EntryWriter;
import io.mgtm.gtm.node.engine.FirstEntries;
import io.mgtm.gtm.node.engine.GtmStateMachine;
import io.mgtm.gtm.node.engine.LeaderEngine;
import io.mgtm.gtm.node.engine.LinkEngine;
import io.mgtm.gtm.node.engine.RequestMetrics;
import io.mgtm.gtm.node.total.OrderedGtm;
import io.mgtm.gtm.node.total.TotalEngine;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.link.Leadership;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the owner thread owns: the log, the state, and the engines between them and the sockets.
 * Without a group, which is a group of one, direct clients and links share the log; in a group
 * there are links only. Owner thread throughout.
 */
final class NodeCore implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NodeCore.class);

  private final GtmConfig config;
  private final EventLoop owner;
  private final RequestMetrics metrics;
  private final NodeGauges gauges;
  private final Consumer<Throwable> fatal;
  private final LinkPeers peers = new LinkPeers(this::leadership);
  private final Rarely gxidWarnings = Rarely.onceAMinute();
  private final GtmStateMachine machine;

  private OpenLog log;

  /** Null in a group. */
  private Engine engine;

  private LinkEngine links;

  private GroupMember group;

  private volatile String advertised = "";

  /** What an operator should know of, as of the last {@link #tick}. */
  private volatile String warnings = "";

  private final OutsiderWatch outsider = new OutsiderWatch(System::nanoTime);

  /** What serves XC clients in a group; null without one. */
  private Gateway gateway;

  /** A backup that waits in the data folder until it is in the log; or null. */
  private BackupFile restore;

  private NodeCore(
      GtmConfig config,
      EventLoop owner,
      RequestMetrics metrics,
      NodeGauges gauges,
      Consumer<Throwable> fatal) {
    this.config = config;
    this.owner = owner;
    this.metrics = metrics;
    this.gauges = gauges;
    this.fatal = fatal;
    this.machine =
        new GtmStateMachine(GtmState.empty(), () -> owner.execute(this::updateLeadership));
  }

  /**
   * Opens the data folder, recovers, and, when there is one, joins the group.
   *
   * @param takeover what a new folder begins with; null lets it begin empty
   * @throws LogException when the folder cannot be used
   */
  static NodeCore open(
      GtmConfig config,
      Takeover takeover,
      EventLoop owner,
      RequestMetrics metrics,
      NodeGauges gauges,
      Consumer<Throwable> fatal) {
    NodeCore core = new NodeCore(config, owner, metrics, gauges, fatal);
    try {
      if (takeover != null) {
        core.place(takeover);
      }
      core.restore = Restore.pending(config.data());
      core.joinGroup();
      return core;
    } catch (RuntimeException e) {
      try {
        core.close();
      } catch (RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** The first leader of the new group writes it to the log, as it does with a backup. */
  private void place(Takeover takeover) {
    BackupFile backup = takeover.backup(NodeSettings.limits(config));
    try {
      Restore.place(config.data(), backup::writeTo);
    } catch (IOException e) {
      throw new LogException(
          LogException.Category.IN_USE, e.getMessage() + ", or start without --import-control", e);
    }
    LOG.info(
        "Takes over {} sequences, next gxid {}", takeover.sequences().size(), takeover.nextGxid());
  }

  private void joinGroup() {
    List<Command> first = Takeover.nothing(config.gxid().first()).commands();
    GroupMember member = new GroupMember(config, machine, fatal, peers::update);
    OrderedGtm ordered = new OrderedGtm(machine);
    String begins = beginning();
    log =
        member.open(
            listener -> MemberSetup.open(config, begins, machine, ordered, owner, listener));
    gauges.bindLog(log::stats);
    group = member;
    boolean alone = !config.group().exists();
    if (alone) {
      begin(first, (ReplicatedLog) log);
    }
    EngineSetup setup =
        new EngineSetup(
            config.group().name(),
            this::leadership,
            peers::update,
            () -> advertised,
            NodeSettings.limits(config),
            first,
            restore,
            config.limits().connectionsMax(),
            config.links().graceMs(),
            NodeSettings.recovery(config, owner),
            alone ? null : member::yieldLeadership,
            new SecureRandom());
    EngineParts parts = new EngineParts(owner, EngineTime.SYSTEM, metrics, fatal);
    links =
        log instanceof OrderedLog order
            ? new TotalEngine(setup, ordered, order, parts)
            : new LeaderEngine(setup, machine, (ReplicatedLog) log, parts);
    member.serve(links, engine);
    if (log.isLeading()) {
      links.leading();
    }
  }

  /** What a new group would begin with, if this member led; empty for what is usual. */
  private String beginning() {
    if (restore != null) {
      return restore.inWords();
    }
    long first = config.gxid().first();
    return first == GtmConfig.DEFAULTS.gxid().first() ? "" : "first gxid " + first;
  }

  /** Brings the state of a node without a group to where its direct clients begin. */
  private void begin(List<Command> firstCommands, ReplicatedLog log) {
    if (restore != null && !machine.state().started()) {
      FirstEntries.appendBackup(
          restore, 0, Restore.parts(restore), EngineTime.SYSTEM.micros().getAsLong(), machine, log);
    }
    machine.state().setLimits(NodeSettings.limits(config));
    engine = new Engine(machine, log, EngineTime.SYSTEM.micros(), metrics);
    if (!machine.state().started()) {
      if (machine.state().counts().sequences() > 0) {
        throw new LogException(
            LogException.Category.FORMAT,
            "The data folder %s holds an import that was interrupted; empty it and import again"
                .formatted(config.data()));
      }
      engine.initialize(firstCommands);
    }
    engine.restart();
    GtmState.Counts counts = machine.state().counts();
    LOG.info(
        "Next gxid {}, {} prepared transactions, {} sequences, {} nodes",
        counts.nextGxid(),
        counts.prepared(),
        counts.sequences(),
        counts.nodes());
  }

  private Leadership leadership() {
    return group.leadership();
  }

  private void updateLeadership() {
    if (links != null) {
      peers.update();
    }
  }

  /** The engine of direct clients, null in a group. */
  Engine engine() {
    return engine;
  }

  /** What this node tells operators. */
  private NodeStatus status() {
    NodeStatus status = group.status();
    return status.troubledBy(trouble(status));
  }

  LinkService linkService(LinkKeys keys, PartialBudget begun) {
    return new LinkService(
        links,
        peers,
        new AdminService(
            log.admin(),
            this::status,
            links,
            () -> StateCounts.of(machine.state()),
            EngineTime.SYSTEM.micros(),
            owner),
        keys,
        config.timeouts(),
        begun,
        metrics,
        fatal);
  }

  /** Gateways can reach this node at {@code address} from now on. */
  void listening(HostPort address) {
    advertised = address.toString();
    links.announce();
    peers.update();
  }

  /** Serves XC clients of a member through {@code with} from now on. */
  void serveClients(Gateway with) {
    gateway = with;
    if (!config.group().isWitness()) {
      gateway.start();
    }
    outsider.look(group.status(), gateway);
  }

  /** Called now and then; the answer is what is wrong, or empty. */
  String tick() {
    int waiting = links.pendingReplies();
    if (engine != null) {
      engine.tick();
      waiting += engine.heldBatches();
    }
    links.tick();
    peers.update();
    gauges.observe(machine.state(), waiting);
    NodeStatus status = group.status();
    gauges.observeGroup(status, peers.count(), links.attachedSessions());
    if (machine.state().gxidsUntilWarning() <= 0) {
      gxidWarnings.run(
          more ->
              LOG.warn(
                  "Gxids run out: begins stop after {} more. VACUUM FREEZE every database on every node, then tell the GTM the oldest id left with mgtm gtm advance-oldest",
                  Math.max(0, machine.state().gxidsUntilStop())));
    }
    warnings = String.join("; ", status.warnings());
    if (restore != null && status.committedIndex() == status.lastIndex()) {
      checkRestored();
    }
    return trouble(status);
  }

  /** What there is to tell while nothing is wrong, or empty. Any thread. */
  String warnings() {
    return warnings;
  }

  /** What is shown of this node beside its metrics. */
  NodePage page() {
    return NodePage.of(
        status(), peers.others(NodePage.SHOWN_MAX), machine.state().nodes(NodePage.SHOWN_MAX));
  }

  /** What is wrong with a node that stands so, or empty. */
  private String trouble(NodeStatus status) {
    String outside = outsider.look(status, gateway);
    if (!outside.isEmpty()) {
      return outside;
    }
    if (engine != null || links.isServing()) {
      return roomTrouble();
    }
    return status.leader().isEmpty() ? "no member leads the group" : gatewayTrouble();
  }

  /** A follower serves XC clients by a link to the leader. */
  private String gatewayTrouble() {
    String trouble = gateway == null || config.group().isWitness() ? "" : gateway.trouble();
    return trouble.isEmpty() ? "" : "XC clients of this node wait: " + trouble;
  }

  private String roomTrouble() {
    return log.hasRoom(EntryWriter.ENTRY_BYTES_MAX) ? "" : log.noRoomReason();
  }

  private void checkRestored() {
    if (Restore.isDone(restore, machine.state(), config.data())) {
      Restore.forget(config.data());
      LOG.info("Restored the backup of entry {}", restore.index());
      restore = null;
    }
  }

  /** Lets another member lead before this one stops; false when none can be asked. */
  boolean handOver() {
    return group.handOver();
  }

  /** Whether clients still need this node; see {@link #handOver}. */
  boolean isServing() {
    return group.isNeeded();
  }

  @Override
  public void close() {
    if (gateway != null) {
      gateway.close();
    }
    if (engine != null) {
      engine.abandon();
    }
    if (links != null) {
      links.abandon();
    }
    if (log != null) {
      log.close();
    }
  }
}
