package io.mgtm.group.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections between the owners' event loops of the members, for the group's own messages: the
 * thread that makes a message writes it to the socket, and the thread that reads it gives it to the
 * core. A message wakes nobody else; over JGroups it wakes a thread more on either side.
 *
 * <p>Who is a member and where it is is JGroups' to say: there is a link to each member of the
 * view, made anew after a pause while that stays in the view, and messages are taken of processes
 * of the view only. Each member sends over the link that it made and reads on those that others
 * made, so that nobody has to agree on whose link it is.
 *
 * <p>With {@link Reach#CONNECTION} a member that the view has lost is sent to and heard until the
 * link to it breaks. When it returns to the view it gets a new link, since TCP is slow to send
 * again after a long silence.
 *
 * <p>Bytes, big-endian: a {@link DirectHello}, then messages, each as {@code | bytes:i32 | message
 * |}. All methods are called by the loop's thread unless they say otherwise.
 */
final class DirectLinks implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DirectLinks.class);

  /** Messages to a member that reads too slowly are dropped past this; they come again. */
  private static final int WAITING_BYTES_MAX = 4 << 20;

  /** A message is a batch and at most one entry over its bound, and that is below a segment. */
  static final int FRAME_BYTES_MAX = 1 << 30;

  private static final int CONNECT_TIMEOUT_MS = 1_000;

  /** Another member, and the process that it is now. */
  record Peer(UUID process, InetSocketAddress at) {}

  private final EventLoop loop;
  private final String cluster;
  private final DirectTls tls;
  private final Reach reach;
  private final Transport.Receiver receiver;
  private final DirectListener listener;
  private final Map<String, DirectLink> links = new HashMap<>();
  private UUID self;
  private boolean closed;

  /** Whether an owner can have links: it is an event loop with sockets. */
  static boolean suit(Executor owner) {
    return owner instanceof IoEventLoop loop
        && (loop.isCompatible(EpollIoHandle.class) || loop.isCompatible(NioIoHandle.class));
  }

  /**
   * Listens. Any thread.
   *
   * @param loop the owner's, one that {@link #suit suits}
   * @throws io.mgtm.group.LogException with ACCESS when the address or the keys cannot be used
   */
  DirectLinks(EventLoop loop, JGroupsSettings settings, Reach reach, Transport.Receiver receiver) {
    this.loop = loop;
    this.reach = reach;
    this.receiver = receiver;
    cluster = settings.cluster();
    tls = settings.tls().map(DirectTls::of).orElse(null);
    listener =
        new DirectListener(
            loop,
            serverChannel(),
            cluster,
            new Gate(settings.allowed()),
            tls,
            receiver,
            this::ended);
    listener.bind(settings.bind());
  }

  private boolean hasEpoll() {
    return ((IoEventLoop) loop).isCompatible(EpollIoHandle.class);
  }

  private ServerSocketChannel serverChannel() {
    return hasEpoll() ? new EpollServerSocketChannel() : new NioServerSocketChannel();
  }

  /** Where the others reach this member; any thread. */
  InetSocketAddress address() {
    return listener.address();
  }

  /** The view has changed; any thread. */
  void members(UUID process, Map<String, Peer> others) {
    Map<String, Peer> peers = Map.copyOf(others);
    execute(() -> follow(process, peers));
  }

  private void follow(UUID process, Map<String, Peer> peers) {
    self = process;
    links
        .values()
        .removeIf(
            link -> {
              boolean stays = staysAfter(link, peers.get(link.name()));
              if (!stays) {
                link.close();
              }
              return !stays;
            });
    if (!closed) {
      peers.forEach((name, peer) -> links.computeIfAbsent(name, n -> connect(n, peer)));
    }
    hear();
  }

  /**
   * Whether a link is kept.
   *
   * @param now who has its member's name in the view, null when nobody has
   */
  private boolean staysAfter(DirectLink link, Peer now) {
    if (closed) {
      return false;
    }
    if (now == null) {
      return reach == Reach.CONNECTION && link.leaveView(() -> forget(link));
    }
    return link.isInView() && link.peer().equals(now);
  }

  private void forget(DirectLink link) {
    links.remove(link.name(), link);
    hear();
  }

  /** Messages are taken of those that have a link. */
  private void hear() {
    listener.known(self, links.values().stream().map(link -> link.peer().process()).toList());
  }

  /** A connection of a member of the view has ended, which it made. */
  private void ended(UUID process) {
    if (!closed) {
      links.values().stream()
          .filter(link -> link.isInView() && link.peer().process().equals(process))
          .findFirst()
          .ifPresent(link -> receiver.broken(link.name()));
    }
  }

  private DirectLink connect(String name, Peer peer) {
    Class<? extends Channel> type = hasEpoll() ? EpollSocketChannel.class : NioSocketChannel.class;
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(type)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, CONNECT_TIMEOUT_MS)
            .option(
                ChannelOption.WRITE_BUFFER_WATER_MARK,
                new WriteBufferWaterMark(WAITING_BYTES_MAX / 2, WAITING_BYTES_MAX));
    DirectLink link = new DirectLink(name, peer, bootstrap, new DirectHello(cluster, self), tls);
    link.connect();
    return link;
  }

  /**
   * Sends a message to members. What a link cannot take now is dropped.
   *
   * @return those without a link now; the message is still to be sent to them
   */
  List<String> send(List<String> to, byte[] message) {
    List<String> without = null;
    for (String name : to) {
      DirectLink link = links.get(name);
      if (link == null || !link.send(message)) {
        without = without == null ? new ArrayList<>(to.size()) : without;
        without.add(name);
      }
    }
    return without == null ? List.of() : without;
  }

  /** Whether the calling thread may send. Any thread. */
  boolean isOwner() {
    return loop.inEventLoop();
  }

  /** How many messages came of processes outside the view. */
  long dropped() {
    return listener.dropped();
  }

  private void execute(Runnable task) {
    try {
      loop.execute(task);
    } catch (RejectedExecutionException e) {
      log.debug("The event loop has stopped, and its links with it", e);
    }
  }

  /** Any thread. */
  @Override
  public void close() {
    Runnable task =
        () -> {
          closed = true;
          links.values().forEach(DirectLink::close);
          links.clear();
          listener.close();
        };
    if (loop.inEventLoop()) {
      task.run();
    } else {
      execute(task);
    }
  }
}
