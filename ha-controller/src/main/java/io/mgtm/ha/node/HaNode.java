package io.mgtm.ha.node;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.GroupMode;
import io.mgtm.group.LogException;
import io.mgtm.group.member.GroupLogs;
import io.mgtm.group.member.GroupSettings;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.group.member.MemberLog;
import io.mgtm.group.net.GroupSecret;
import io.mgtm.group.net.JGroupsSettings;
import io.mgtm.group.net.Transport;
import io.mgtm.group.quorumdisk.DiskMark;
import io.mgtm.group.quorumdisk.QuorumDiskTransport;
import io.mgtm.ha.core.Call;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.core.Grant;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.LeaderEffects.Reply;
import io.mgtm.ha.core.NodeAgent;
import io.mgtm.ha.core.OperatorCommand;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The controller of one node: its member of the replicated log, its agent, and the leader that it
 * is while its member leads. One owner thread does all of it; what blocks is done by others.
 */
public final class HaNode implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(HaNode.class);
  private static final int TICKS_OF_A_HEARTBEAT = 4;
  private static final String HERE = "here";

  private final NodeSetup setup;
  private final String name;
  private final ClusterConfig founding;
  private final CompletableFuture<Throwable> failure = new CompletableFuture<>();
  private final MultiThreadIoEventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(
          1, new DefaultThreadFactory("mgtm-ha-owner", true), NioIoHandler.newFactory());
  private final EventLoop owner = loops.next();
  private final StateLog state = new StateLog(() -> this.leader.applied());
  private final NodeView view;
  private ClusterState committed = ClusterState.EMPTY;
  private Consumer<ClusterState> audience = told -> {};
  private long configured = -1;
  private boolean closed;

  /** Whether its log's member has led or followed a leader since its start, or need not have. */
  private boolean takesPart;

  private MemberLog members;
  private QuorumDiskTransport ways;
  private Paths paths;
  private LeaderPart leader;
  private NodeAgent agent;
  private AgentEffects agentEffects;
  private RuntimeFolder data;

  private HaNode(NodeSetup setup) {
    this.setup = setup;
    this.name = setup.node();
    this.founding = setup.config();
    this.view = new NodeView(name, this::nowMs);
  }

  /**
   * Starts the controller: it has joined its group in the background when the others are there.
   *
   * @throws IOException when an address cannot be taken, or the folder cannot be used
   * @throws LogException when the log cannot be opened
   */
  public static HaNode start(NodeSetup setup) throws IOException {
    HaNode node = new HaNode(setup);
    try {
      node.data = RuntimeFolder.takeData(setup.data());
      node.open(Incarnation.next(setup.data(), System.currentTimeMillis()));
      return node;
    } catch (IOException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  private void open(long incarnation) throws IOException {
    boolean witness = founding.nodes().get(name).witness();
    if (!witness) {
      agentEffects = new AgentEffects(this, setup);
      // What an earlier one had has a lease that is soon over, and is of this machine.
      takesPart = agentEffects.hasFormer();
      agent = new NodeAgent(name, incarnation, agentEffects);
    }
    leader = new LeaderPart(this, setup, state);
    Sealed sealed = new Sealed(founding.cluster(), setup.secret());
    paths = Paths.open(name, founding, sealed, owner, new PathListener());
    members = await(() -> openLog(witness));
    owner.execute(() -> guarded(this::tick));
  }

  private MemberLog openLog(boolean witness) {
    Map<String, Node> nodes = founding.nodes();
    List<String> names = List.copyOf(founding.logMembers().keySet());
    List<InetSocketAddress> hosts =
        nodes.values().stream().map(node -> node.group().resolve()).toList();
    GroupSettings settings =
        GroupSettings.of(name, names)
            .withDurability(DurabilityMode.ALL)
            .withWitness(founding.logWitness());
    JGroupsSettings network =
        JGroupsSettings.of("ha-" + founding.cluster(), nodes.get(name).group().resolve(), hosts);
    if (nodes.get(name).paths().size() > 1) {
      network = network.withAlternates(paths::alternates);
    }
    Optional<GroupSecret> secret = setup.secretFile().map(GroupSecret::read);
    if (secret.isPresent()) {
      network = network.withSecret(secret.get());
    }
    Path folder = setup.data().resolve(witness ? "witness" : "log");
    UnaryOperator<Transport> withDisk =
        machines -> {
          ways = QuorumDiskTransport.of(machines, name, names, settings.core(), owner);
          return ways;
        };
    MemberLog opened =
        GroupLogs.open(GroupMode.FIFO, folder, settings, network, withDisk, state, owner, leader);
    leader.opened(opened);
    useQuorumDisk(witness ? "" : founding.quorumDisk());
    return opened;
  }

  private void useQuorumDisk(String path) {
    ways.use(Optional.of(path).filter(given -> !given.isEmpty()).map(Path::of));
  }

  private void tick() {
    if (closed) {
      return;
    }
    if (agent != null) {
      agent.tick(nowMs());
    }
    leader.tick(committed);
    later(agreed().timing().heartbeatMs() / TICKS_OF_A_HEARTBEAT, this::tick);
  }

  /** Milliseconds of the node's monotonic clock, which its other processes read too. */
  long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /** Milliseconds since 1970. */
  static long wallMs() {
    return System.currentTimeMillis();
  }

  /** Has the owner do something soon; what it throws ends the controller. */
  void soon(Runnable task) {
    try {
      owner.execute(() -> guarded(task));
    } catch (RejectedExecutionException e) {
      log.debug("The controller has stopped before a task", e);
    }
  }

  /** Has the owner do something after so long. */
  void later(long ms, Runnable task) {
    owner.schedule(() -> guarded(task), ms, TimeUnit.MILLISECONDS);
  }

  private void guarded(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      log.error("The controller cannot go on", e);
      failure.complete(e);
    }
  }

  <T> T await(Supplier<T> task) {
    return owner.submit(task::get).syncUninterruptibly().getNow();
  }

  /** Only what is committed: another leader may take back what is not. */
  void configure() {
    ClusterState now = state.state();
    committed = now;
    view.applied(now);
    audience.accept(now);
    if (now.config() != null && now.configVersion() != configured) {
      configured = now.configVersion();
      paths.configured(now.config().nodes());
      if (agent != null) {
        useQuorumDisk(now.config().quorumDisk());
        // The newest that is known by then: a log that is read after a start begins with old ones.
        soon(() -> agent.configured(committed.config(), committed.joined(), nowMs()));
      }
    }
  }

  /**
   * Its log's member leads, or follows a leader. Before that nobody hears the node: of two machines
   * with its name the group has one, and the other must be given no lease.
   */
  void takesPart() {
    takesPart = true;
  }

  /** What the node says of the quorum disk; null without one. */
  DiskReport disk() {
    if (agreed().quorumDisk().isEmpty()) {
      return null;
    }
    String wrong = members == null ? "" : ways.lastingProblem(members.status()).orElse("");
    return ways.mark()
        .map(mark -> new DiskReport(mark.disk(), mark.slot(), mark.number(), wrong))
        .orElse(new DiskReport(null, 0, 0, wrong));
  }

  void send(Heartbeat heartbeat) {
    if (!takesPart) {
      return;
    }
    paths.send(heartbeat);
    soon(() -> heard(heartbeat, HERE));
  }

  void send(Grant grant) {
    if (grant.node().equals(name)) {
      soon(() -> agent.granted(grant, nowMs()));
    } else {
      paths.send(grant);
    }
  }

  private void heard(Heartbeat heartbeat, String path) {
    view.heard(heartbeat, path);
    DiskReport disk = heartbeat.disk();
    if (disk != null && disk.disk() != null) {
      ways.heard(new DiskMark(disk.disk(), heartbeat.node(), disk.slot(), disk.number()));
    }
    leader.heard(heartbeat, path);
  }

  /** The controller cannot go on. */
  void failed(Throwable cause) {
    failure.complete(cause);
  }

  NodeAgent agent() {
    return agent;
  }

  /** What comes over the paths. */
  private final class PathListener implements Paths.Listener {
    @Override
    public void heard(Heartbeat heartbeat, String path) {
      guarded(() -> HaNode.this.heard(heartbeat, path));
    }

    @Override
    public void granted(Grant grant) {
      if (agent != null) {
        guarded(() -> agent.granted(grant, nowMs()));
      }
    }
  }

  /**
   * Has the leader decide on an operator's command. Any thread.
   *
   * @return completed when it is committed or refused; with NOT_LEADING at once when another leads
   */
  public CompletableFuture<Reply> ask(String by, OperatorCommand command) {
    return leader.ask(by, command);
  }

  /**
   * Has a resource that is in service on this node checked deeply, at once. Any thread but the
   * owner's.
   *
   * @return completed with what was found; empty when it is not in service here
   */
  public Optional<CompletableFuture<Call.Result>> checkNow(String hierarchy, String resource) {
    CompletableFuture<Call.Result> found = new CompletableFuture<>();
    boolean begins =
        agent != null && await(() -> agent.checkNow(hierarchy, resource, found::complete, nowMs()));
    return begins ? Optional.of(found) : Optional.empty();
  }

  /** Has one listener told what is committed while this controller leads. Any thread. */
  public void tell(LeaderListener teller) {
    leader.tell(teller);
  }

  /** What this node knows of the cluster. Any thread but the owner's. */
  public ClusterView view() {
    return await(this::viewNow);
  }

  private ClusterView viewNow() {
    GroupStatus group = members == null ? null : members.status();
    return view.of(group, group == null ? Optional.empty() : ways.lastingProblem(group));
  }

  /**
   * Has somebody told of the committed state now and whenever it changes, by the owner thread,
   * which it must not keep. Any thread but the owner's.
   */
  public void onCommitted(Consumer<ClusterState> listener) {
    soon(
        () -> {
          audience = listener;
          listener.accept(committed);
        });
  }

  /** The configuration that the cluster has agreed on, or the one of the file before that. */
  public ClusterConfig config() {
    return await(this::agreed);
  }

  private ClusterConfig agreed() {
    return committed.config() == null ? founding : committed.config();
  }

  /** Completed when the controller cannot go on. */
  public CompletableFuture<Throwable> failure() {
    return failure;
  }

  /**
   * Stops the controller; if it leads, once another does. What it has in service runs on for as
   * long as its lease does: another start within that time takes it over untouched. Any thread but
   * the owner's.
   */
  @Override
  public void close() {
    closing(leader, LeaderPart::handOver);
    owner.submit(() -> closed = true).awaitUninterruptibly();
    closing(paths, Paths::close);
    closing(leader, LeaderPart::close);
    closing(agentEffects, AgentEffects::close);
    closing(
        members,
        log ->
            await(
                () -> {
                  log.close();
                  return null;
                }));
    closing(data, HaNode::release);
    loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(5, TimeUnit.SECONDS);
  }

  private static void release(RuntimeFolder folder) {
    try {
      folder.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static <T> void closing(T what, Consumer<T> how) {
    if (what == null) {
      return;
    }
    try {
      how.accept(what);
    } catch (RuntimeException e) {
      log.warn("Stopping: {}", e.getMessage());
    }
  }
}
