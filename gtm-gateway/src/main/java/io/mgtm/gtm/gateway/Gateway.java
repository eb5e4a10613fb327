package io.mgtm.gtm.gateway;

import io.mgtm.common.AllowList;
import io.mgtm.common.HostPort;
import io.mgtm.common.Newcomers;
import io.mgtm.common.Rarely;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.net.PartialBudget;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The clients of a gateway and the GTM behind it. What all clients sent in one batch of the event
 * loop leaves together at its end; then the replies that came in it leave, once for each client.
 */
public final class Gateway {
  private static final Logger log = LoggerFactory.getLogger(Gateway.class);

  private final GatewaySettings settings;
  private final EventLoop loop;
  private final GatewayMetrics metrics;
  private final Consumer<Throwable> fatal;
  private final AllowList allowed;
  private final Rarely strangers = new Rarely();
  private final Rarely unknown = Rarely.onceAMinute();
  private final Newcomers newcomers;
  private final PartialBudget begun = new PartialBudget(PartialBudget.BYTES_MAX);
  private final BatchEnd batchEnd;
  private final BackendNumbers backends = new BackendNumbers();
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final Set<GatewayConnection> connections = new LinkedHashSet<>();
  private final CompletableFuture<Void> drained = new CompletableFuture<>();
  private final Deque<Channel> early = new ArrayDeque<>();
  private UpstreamProbe probe;
  private volatile Upstream upstream;
  private List<GatewayConnection> dirty = new ArrayList<>();
  private List<GatewayConnection> flushing = new ArrayList<>();
  private int commandsCame;
  private int repliesWent;
  private int outstanding;
  private boolean draining;

  /** Why clients are turned away; empty while they are served. */
  private String refusal = "";

  private Gateway(
      GatewaySettings settings, EventLoop loop, GatewayMetrics metrics, Consumer<Throwable> fatal) {
    this.settings = settings;
    this.loop = loop;
    this.metrics = metrics;
    this.fatal = fatal;
    this.allowed = new AllowList(settings.allow());
    this.newcomers = new Newcomers(Newcomers.MAX, settings.timeouts().startupMs());
    this.batchEnd = new BatchEnd(loop);
    batchEnd.does(this::endBatch);
  }

  /**
   * A gateway of a group. Call {@link #start} on its loop.
   *
   * @param name of the gateway, unique among those of its kind
   * @param fatal told when an invariant is broken; the process is to end
   */
  public static Gateway ofGroup(
      String name,
      GatewaySettings settings,
      EventLoop loop,
      LinkNodes nodes,
      GatewayMetrics metrics,
      Consumer<Throwable> fatal) {
    Gateway gateway = new Gateway(settings, loop, metrics, fatal);
    gateway.upstream = gateway.group(name, nodes);
    return gateway;
  }

  private Upstream group(String name, LinkNodes nodes) {
    return new GroupUpstream(
        name, nodes, new LoopTime(loop), RandomGenerator.getDefault(), batchEnd::ask, metrics);
  }

  /**
   * Where the GTM of a gateway is.
   *
   * @param addresses nodes of a group, or the original GTM
   * @param listen where the gateway's clients connect
   */
  public record Nodes(List<HostPort> addresses, UpstreamProtocol protocol, HostPort listen) {
    public Nodes {
      addresses = List.copyOf(addresses);
    }
  }

  /** A gateway of what is at some addresses. Call {@link #start} on its loop. */
  public static Gateway connecting(
      String name,
      GatewaySettings settings,
      EventLoop loop,
      TcpLinks sockets,
      Nodes nodes,
      GatewayMetrics metrics,
      Consumer<Throwable> fatal) {
    Gateway gateway = new Gateway(settings, loop, metrics, fatal);
    if (nodes.protocol() == UpstreamProtocol.AUTO && !sockets.areGuarded()) {
      gateway.probe =
          new UpstreamProbe(
              nodes.addresses(),
              sockets,
              name,
              new LoopTime(loop),
              RandomGenerator.getDefault(),
              found -> gateway.begin(gateway.upstreamOf(name, found, sockets, nodes)));
    } else {
      gateway.upstream = gateway.upstreamOf(name, nodes.protocol(), sockets, nodes);
    }
    return gateway;
  }

  private Upstream upstreamOf(
      String name, UpstreamProtocol protocol, TcpLinks sockets, Nodes nodes) {
    if (protocol == UpstreamProtocol.XC) {
      return new XcUpstream(
          name,
          nodes.addresses(),
          nodes.listen(),
          sockets,
          new LoopTime(loop),
          RandomGenerator.getDefault(),
          batchEnd::ask,
          this::unsentBytes,
          metrics);
    }
    return group(
        name,
        new LinkNodes(
            nodes.addresses().stream().map(sockets::to).toList(),
            address -> sockets.to(HostPort.parse(address))));
  }

  /** Begins to connect to the GTM. */
  public void start() {
    if (upstream == null) {
      probe.tryNext();
    } else {
      upstream.start();
    }
  }

  /** It is known what the GTM speaks: who came before that is served now. */
  private void begin(Upstream found) {
    upstream = found;
    upstream.start();
    while (!early.isEmpty()) {
      Channel channel = early.removeFirst();
      if (channel.isActive()) {
        serve(channel);
        channel.config().setAutoRead(true);
      } else {
        metrics.closed.increment();
      }
    }
  }

  /** What is wrong now, or empty. Any thread. */
  public String trouble() {
    Upstream known = upstream;
    return known == null ? probe.trouble() : known.trouble();
  }

  /** What it is connected to, in a few words. Any thread. */
  public String describe() {
    Upstream known = upstream;
    return known == null ? "" : known.describe();
  }

  /**
   * Serves a client that was just accepted, or turns it away. On the event loop, which is the
   * channel's too.
   */
  public void accept(Channel channel) {
    if (!allowed.allows(channel.remoteAddress())) {
      turnedAway(channel, "it comes from no network of allow");
      channel.close();
      return;
    }
    if (!refusal.isEmpty()) {
      metrics.turnedAway.increment();
      tellAndClose(channel, refusal, "Connect to another node of the group.");
      return;
    }
    if (connections.size() + early.size() >= settings.connectionsMax()) {
      String limit = "the limit of " + settings.connectionsMax() + " connections is reached";
      turnedAway(channel, limit + "; raise limits.connectionsMax");
      tellAndClose(channel, limit, "Raise limits.connectionsMax.");
      return;
    }
    metrics.opened.increment();
    if (upstream == null) {
      channel.config().setAutoRead(false);
      early.addLast(channel);
    } else {
      serve(channel);
    }
  }

  private void turnedAway(Channel channel, String why) {
    metrics.turnedAway.increment();
    strangers.run(more -> log.warn("Turned away {}: {}{}", channel.remoteAddress(), why, more));
  }

  /** Of who has not begun as an XC client, as when status is asked of a proxy's port. */
  Rarely unknown() {
    return unknown;
  }

  private void serve(Channel channel) {
    newcomers.watch(channel);
    GatewayConnection connection = new GatewayConnection(this, settings);
    connections.add(connection);
    channel.pipeline().addLast(connection);
  }

  private void tellAndClose(Channel channel, String message, String hint) {
    ByteBuf out = channel.alloc().ioBuffer();
    encoder.error(out, false, Command.NO_BACKEND, true, message, hint);
    channel.writeAndFlush(out).addListener(ChannelFutureListener.CLOSE);
  }

  Upstream upstream() {
    return upstream;
  }

  BackendNumbers backends() {
    return backends;
  }

  ReplyEncoder encoder() {
    return encoder;
  }

  /** What the frames that clients have begun take together. */
  PartialBudget begun() {
    return begun;
  }

  GatewayMetrics metrics() {
    return metrics;
  }

  void fatal(Throwable cause) {
    fatal.accept(cause);
  }

  boolean draining() {
    return draining || !refusal.isEmpty();
  }

  /**
   * Turns clients away from now on, and lets those that are there finish what they have open. On
   * the event loop.
   *
   * @param why told to clients; empty to serve again; said again while it lasts
   */
  public void refuse(String why) {
    if (refusal.isEmpty() && !why.isEmpty()) {
      Level level = connections.isEmpty() ? Level.INFO : Level.WARN;
      log.atLevel(level)
          .log("Turns clients away, {} of them connected: {}", connections.size(), why);
    } else if (!refusal.isEmpty() && why.isEmpty()) {
      log.info("Serves clients again");
    }
    refusal = why;
    if (!why.isEmpty()) {
      List.copyOf(connections).forEach(GatewayConnection::closeIfIdle);
    }
    if (upstream != null) {
      upstream.serves(why.isEmpty() || !connections.isEmpty());
    }
  }

  /** Replies that clients have not taken. */
  private long unsentBytes() {
    return connections.stream().mapToLong(GatewayConnection::unsentBytes).sum();
  }

  void submitted() {
    commandsCame++;
    outstanding++;
  }

  void answered() {
    repliesWent++;
    outstanding--;
  }

  /** A connection has something to flush. */
  void dirty(GatewayConnection connection) {
    dirty.add(connection);
    batchEnd.ask();
  }

  private void endBatch() {
    try {
      if (upstream != null) {
        upstream.flush();
      }
      List<GatewayConnection> now = dirty;
      dirty = flushing;
      flushing = now;
      for (int i = 0; i < now.size(); i++) {
        now.get(i).flush();
      }
      now.clear();
      metrics.batch(commandsCame, repliesWent, outstanding);
      commandsCame = 0;
      repliesWent = 0;
    } catch (RuntimeException | Error e) {
      fatal.accept(e);
    }
  }

  void gone(GatewayConnection connection) {
    connections.remove(connection);
    metrics.closed.increment();
    if (draining && connections.isEmpty()) {
      drained.complete(null);
    }
  }

  /**
   * Lets clients finish what they have open, and closes each once it has nothing. Any thread; new
   * clients must not be accepted any more.
   *
   * @return completes when no client is left, or {@code drainMs} later; call {@link #close} then
   */
  public CompletableFuture<Void> drain(int drainMs) {
    loop.execute(() -> beginDrain(drainMs));
    return drained;
  }

  private void beginDrain(int drainMs) {
    draining = true;
    log.info("Draining: {} clients, {} commands without a reply", connections.size(), outstanding);
    for (GatewayConnection connection : List.copyOf(connections)) {
      connection.closeIfIdle();
    }
    if (connections.isEmpty()) {
      drained.complete(null);
      return;
    }
    loop.schedule(
        () -> {
          if (drained.complete(null)) {
            log.warn("Closing {} clients that had not finished", connections.size());
          }
        },
        drainMs,
        TimeUnit.MILLISECONDS);
  }

  /** Closes every client, then the sessions with the GTM in order, then the links. On the loop. */
  public void close() {
    draining = true;
    for (GatewayConnection connection : List.copyOf(connections)) {
      connection.closeNow();
    }
    early.forEach(Channel::close);
    if (upstream == null) {
      probe.stop();
    } else {
      upstream.close();
    }
  }
}
