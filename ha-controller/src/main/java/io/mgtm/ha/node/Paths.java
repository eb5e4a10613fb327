package io.mgtm.ha.node;

import io.mgtm.common.ConnectionErrors;
import io.mgtm.common.HostPort;
import io.mgtm.common.Rarely;
import io.mgtm.ha.core.Grant;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.HeartbeatSize;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Node;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.socket.nio.NioDatagramChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The communication paths: one UDP socket on each network, over which nodes hear each other. All
 * that is sent goes over every path, since a node is silent only when it is silent on all. Owner
 * thread, on whose loop the sockets are.
 */
final class Paths implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Paths.class);

  private static final int BYTES_MAX = HeartbeatSize.DATAGRAM_BYTES_MAX;

  /** How often an address is looked for that the machine does not have. */
  private static final int ABSENT_MS = 1_000;

  /** Told what came. Owner thread. */
  interface Listener {
    void heard(Heartbeat heartbeat, String path);

    void granted(Grant grant);
  }

  private final String self;
  private final EventLoop loop;
  private Map<String, List<InetSocketAddress>> peers;

  /** Whose addresses the peers are, or are about to be. */
  private Map<String, Node> nodes;

  private final Sealed sealed;
  private final Listener listener;

  /** By the address's place; none for one that the machine does not have yet. */
  private final Map<Integer, Channel> channels = new ConcurrentHashMap<>();

  private volatile boolean closed;
  private final Rarely strangers = new Rarely();
  private final Rarely failures = new Rarely();

  private Paths(
      String self, ClusterConfig config, Sealed sealed, EventLoop loop, Listener listener) {
    this.self = self;
    this.loop = loop;
    this.nodes = config.nodes();
    this.peers = resolved(nodes);
    this.sealed = sealed;
    this.listener = listener;
  }

  /**
   * Nodes have come or gone, or have other addresses. Names are looked up by another thread: one
   * that hangs must not keep the owner from renewing a lease.
   */
  void configured(Map<String, Node> newest) {
    nodes = newest;
    CompletableFuture.supplyAsync(() -> resolved(newest))
        .thenAcceptAsync(
            next -> {
              if (nodes == newest) {
                peers = next;
              }
            },
            loop);
  }

  /** Where else the controllers' log is spoken by the node that speaks it at a place. */
  List<InetSocketAddress> alternates(InetSocketAddress place) {
    for (Map.Entry<String, List<InetSocketAddress>> peer : peers.entrySet()) {
      List<InetSocketAddress> addresses = peer.getValue();
      Node node = nodes.get(peer.getKey());
      if (node != null
          && node.group().port() == place.getPort()
          && place.getAddress().equals(addresses.get(0).getAddress())) {
        return addresses.stream()
            .skip(1)
            .filter(address -> !address.isUnresolved())
            .map(address -> new InetSocketAddress(address.getAddress(), place.getPort()))
            .toList();
      }
    }
    return List.of();
  }

  private static Map<String, List<InetSocketAddress>> resolved(Map<String, Node> nodes) {
    Map<String, List<InetSocketAddress>> all = new LinkedHashMap<>();
    nodes.forEach((name, node) -> all.put(name, resolved(name, node)));
    return all;
  }

  private static List<InetSocketAddress> resolved(String name, Node node) {
    List<InetSocketAddress> addresses = node.paths().stream().map(HostPort::resolve).toList();
    addresses.stream()
        .filter(InetSocketAddress::isUnresolved)
        .forEach(
            address ->
                log.warn(
                    "Node {}: the host name {} is not known, so that it is not sent to on that path; give an address, or restart this controller once the name is known",
                    name,
                    address.getHostString()));
    return addresses;
  }

  /**
   * Takes the addresses. Any thread. One of a further network is waited for when the machine does
   * not have it: a network that is lost must not keep a controller from starting.
   *
   * @throws IOException when one cannot be listened on
   */
  static Paths open(
      String self, ClusterConfig config, Sealed sealed, EventLoop loop, Listener listener)
      throws IOException {
    Paths paths = new Paths(self, config, sealed, loop, listener);
    List<HostPort> own = config.nodes().get(self).paths();
    for (int path = 0; path < own.size(); path++) {
      try {
        paths.bind(path, own.get(path));
      } catch (IOException e) {
        paths.close();
        throw e;
      }
    }
    return paths;
  }

  private void bind(int place, HostPort at) throws IOException {
    if (place > 0 && isAbsent(at)) {
      log.warn(
          "{} is silent: this machine does not have the address {}", Node.path(place), at.host());
      loop.schedule(() -> awaitAddress(place, at), ABSENT_MS, TimeUnit.MILLISECONDS);
      return;
    }
    ChannelFuture bound = bound(at, Node.path(place)).awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new IOException(
          "cannot listen for heartbeats on UDP %s: %s; see the node's addresses and ports.heartbeat"
              .formatted(at, bound.cause().getMessage()),
          bound.cause());
    }
    channels.put(place, bound.channel());
  }

  private static boolean isAbsent(HostPort at) throws IOException {
    InetAddress address = at.resolve().getAddress();
    return address != null
        && !address.isLoopbackAddress()
        && NetworkInterface.getByInetAddress(address) == null;
  }

  private void awaitAddress(int place, HostPort at) {
    bound(at, Node.path(place))
        .addListener(
            (ChannelFuture bound) -> {
              if (closed) {
                bound.channel().close();
              } else if (bound.isSuccess()) {
                log.info(
                    "{} is used: this machine has the address {}", Node.path(place), at.host());
                channels.put(place, bound.channel());
              } else {
                loop.schedule(() -> awaitAddress(place, at), ABSENT_MS, TimeUnit.MILLISECONDS);
              }
            });
  }

  private ChannelFuture bound(HostPort at, String path) {
    return new Bootstrap()
        .group(loop)
        .channel(NioDatagramChannel.class)
        .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(BYTES_MAX))
        .handler(
            new SimpleChannelInboundHandler<DatagramPacket>() {
              @Override
              protected void channelRead0(ChannelHandlerContext ctx, DatagramPacket packet) {
                received(packet, path);
              }

              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                failures.run(
                    more -> log.warn("{}: {}{}", path, ConnectionErrors.reason(cause), more));
              }
            })
        .bind(at.resolve());
  }

  private void received(DatagramPacket packet, String path) {
    Optional<Sealed.Message> message = sealed.open(ByteBufUtil.getBytes(packet.content()));
    if (message.isEmpty()) {
      strangers.run(
          more ->
              log.warn(
                  "A datagram of {} on {} is not of this cluster, or its sender has another secret{}",
                  packet.sender(),
                  path,
                  more));
      return;
    }
    try {
      deliver(message.get(), path);
    } catch (IOException e) {
      strangers.run(
          more ->
              log.warn(
                  "A datagram of {} on {} is of another version: {}{}",
                  packet.sender(),
                  path,
                  e.getMessage(),
                  more));
    }
  }

  private void deliver(Sealed.Message message, String path) throws IOException {
    if (message.kind() == Sealed.HEARTBEAT) {
      Heartbeat heartbeat = Codec.message(message.payload(), Heartbeat.class);
      if (peers.containsKey(heartbeat.node())) {
        listener.heard(heartbeat, path);
      }
    } else if (message.kind() == Sealed.GRANT) {
      Grant grant = Codec.message(message.payload(), Grant.class);
      if (grant.node().equals(self)) {
        listener.granted(grant);
      }
    }
  }

  /** Sends to every other node. */
  void send(Heartbeat heartbeat) {
    byte[] datagram = sealed.seal(Sealed.HEARTBEAT, Codec.bytes(heartbeat));
    peers.forEach(
        (node, addresses) -> {
          if (!node.equals(self)) {
            send(datagram, addresses);
          }
        });
  }

  /** Sends to the node that it is for. */
  void send(Grant grant) {
    send(
        sealed.seal(Sealed.GRANT, Codec.bytes(grant)), peers.getOrDefault(grant.node(), List.of()));
  }

  private void send(byte[] datagram, List<InetSocketAddress> to) {
    if (datagram.length > BYTES_MAX) {
      failures.run(
          more ->
              log.warn(
                  "A message of {} bytes is too long for a datagram; protect fewer hierarchies{}",
                  datagram.length,
                  more));
      return;
    }
    channels.forEach(
        (path, channel) -> {
          if (path < to.size() && !to.get(path).isUnresolved()) {
            channel.writeAndFlush(
                new DatagramPacket(Unpooled.wrappedBuffer(datagram), to.get(path)));
          }
        });
  }

  /** Any thread. */
  @Override
  public void close() {
    closed = true;
    channels.values().forEach(channel -> channel.close().awaitUninterruptibly());
  }
}
