package io.mgtm.group.net;

import io.mgtm.common.Rarely;
import io.mgtm.common.RarelyEach;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection that this process made to the one in some place, and sends over. It is made again
 * while {@link Links} says so. Loop's thread.
 */
final class Link {
  private static final Logger log = LoggerFactory.getLogger(Link.class);

  /** Per address: a process that stands still is tried again and again, each time by a new link. */
  private static final RarelyEach<InetSocketAddress> silent = new RarelyEach<>(Rarely::onceAMinute);

  /** Messages to a member that reads too slowly are dropped past this; they come again. */
  private static final int WAITING_BYTES_MAX = 4 << 20;

  /** Of frames that wait for the other's word. */
  private static final int QUEUED_BYTES_MAX = 1 << 20;

  private record Queued(Address to, ByteBuf frame) {}

  private final Links links;
  private final InetSocketAddress place;

  /** Where the process may be reached, its place first. */
  private final List<InetSocketAddress> routes;

  private final Bootstrap bootstrap;
  private final Deque<Queued> queue = new ArrayDeque<>();
  private final Backoff backoff = new Backoff(bound -> ThreadLocalRandom.current().nextInt(bound));
  private int queuedBytes;

  /** The one of the routes that is used, or tried. */
  private int route;

  /** How many have been tried in vain, one after the other. */
  private int tried;

  /** Whether nobody listens in the process's place. */
  private boolean refused;

  private Channel channel;

  /** Made by the next route while the process is silent; null when none is. */
  private Channel trial;

  private int trialRoute;
  private int trials;

  /** The process there; null while it has not said who it is. */
  private Address peer;

  private boolean ready;
  private boolean dirty;
  private boolean closed;

  /**
   * A link that is not connected yet.
   *
   * @param routes where the process may be reached, its place first
   * @param tls null for none
   */
  Link(Links links, List<InetSocketAddress> routes, LoopSockets sockets, GroupTls tls) {
    this.links = links;
    this.place = routes.get(0);
    this.routes = routes;
    bootstrap = sockets.bootstrap(Links.CONNECT_TIMEOUT_MS, WAITING_BYTES_MAX);
    bootstrap.handler(
        new ChannelInitializer<>() {
          @Override
          protected void initChannel(Channel made) {
            if (tls != null) {
              made.pipeline().addLast(tls.connecting(made.alloc()));
            }
            made.pipeline().addLast(LinkListener.frames(Hello.BYTES_MAX)).addLast(new Watch());
          }
        });
  }

  /** The frame of who ends. */
  static ByteBuf goodbye() {
    return Unpooled.buffer(Integer.BYTES + 1).writeInt(1).writeByte(Links.GOODBYE);
  }

  InetSocketAddress place() {
    return place;
  }

  Address peer() {
    return peer;
  }

  boolean isReady() {
    return ready;
  }

  /** Whether the other end is known to be a process, or was when it ended. */
  boolean leadsTo(Address process) {
    return process.equals(peer);
  }

  void connect() {
    ChannelFuture connecting = bootstrap.connect(routes.get(route));
    channel = connecting.channel();
    watch(connecting);
  }

  private void watch(ChannelFuture connecting) {
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            failed(connecting.channel(), done.cause());
          }
        });
  }

  private void failed(Channel made, Throwable cause) {
    InetSocketAddress at = routes.get(made == trial ? trialRoute : route);
    log.debug("No link to {}: {}", at, cause.toString());
    if (made == trial) {
      trial = null;
    } else if (made == channel) {
      unreached(isRefused(cause));
    }
  }

  /** The other routes are tried at once, and all of them again after a pause. */
  private void unreached(boolean isRefused) {
    refused |= isRefused && route == 0;
    tried++;
    nextRoute();
    if (tried < routes.size() && !closed) {
      connect();
    } else {
      end(refused);
    }
  }

  private void nextRoute() {
    route = (route + 1) % routes.size();
  }

  /**
   * Nothing comes from the process: the next route is tried beside this one, which may be as good.
   */
  void tryOther() {
    if (!ready || trial != null || routes.size() == 1) {
      return;
    }
    trialRoute = (route + 1 + trials % (routes.size() - 1)) % routes.size();
    trials++;
    ChannelFuture connecting = bootstrap.connect(routes.get(trialRoute));
    trial = connecting.channel();
    watch(connecting);
  }

  /** The process has said on the trial who it is. */
  private void reroute() {
    InetSocketAddress silent = routes.get(route);
    Channel old = channel;
    channel = trial;
    trial = null;
    route = trialRoute;
    log.info("{} is silent at {}, and is reached at {}", peer, silent, routes.get(route));
    // What is under way there must not come after what is sent from here on.
    old.config().setOption(ChannelOption.SO_LINGER, 0);
    old.close();
    links.rerouted(this);
  }

  /** A time-out, or that there is no way, does not say that nobody is there. */
  private static boolean isRefused(Throwable cause) {
    return cause instanceof ConnectException && cause.getMessage().contains("refused");
  }

  private void end(boolean isGone) {
    ready = false;
    tried = 0;
    refused = false;
    dropQueued();
    if (closed || !links.ended(this, isGone)) {
      close();
    } else if (trial != null) {
      channel = trial;
      trial = null;
      route = trialRoute;
      peer = null;
    } else {
      connectLater();
    }
  }

  private void connectLater() {
    channel
        .eventLoop()
        .schedule(
            () -> {
              if (!closed) {
                peer = null;
                connect();
              }
            },
            backoff.ended(nowMs()),
            TimeUnit.MILLISECONDS);
  }

  private static long nowMs() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  /**
   * Sends a frame, or drops it: when it is for another process than the one there, when that reads
   * too slowly, and when it would have to wait for a connection longer than there is room.
   *
   * @param to null for whoever is there
   */
  void send(Address to, ByteBuf frame) {
    if (!ready) {
      if (closed || queuedBytes + frame.readableBytes() > QUEUED_BYTES_MAX) {
        frame.release();
        return;
      }
      queuedBytes += frame.readableBytes();
      queue.add(new Queued(to, frame));
    } else if (channel.isWritable() && (to == null || leadsTo(to))) {
      channel.write(frame, channel.voidPromise());
      if (!dirty) {
        dirty = true;
        links.flushLater(this);
      }
    } else {
      frame.release();
    }
  }

  void flush() {
    dirty = false;
    channel.flush();
  }

  private void dropQueued() {
    queue.forEach(queued -> queued.frame().release());
    queue.clear();
    queuedBytes = 0;
  }

  /** The connection ends, and is made again if it is wanted. */
  void cut() {
    channel.close();
  }

  void close() {
    closed = true;
    ready = false;
    dropQueued();
    if (channel != null) {
      channel.close();
    }
    if (trial != null) {
      trial.close();
    }
  }

  /** What happens to the connection. Nothing is read on it but the other's hello, and its end. */
  private final class Watch extends ChannelInboundHandlerAdapter {
    private boolean greeted;
    private String end =
        "ended a connection before it said who it is; its log says why, unless it stops or runs an earlier version";

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      // With TLS this waits for the handshake within its handler, as all that follows.
      ctx.writeAndFlush(links.self().encode(ctx.alloc()));
      ctx.executor()
          .schedule(
              () -> {
                if (!greeted) {
                  end =
                      "takes connections and does not say who it is; does its process stand still?";
                  ctx.close();
                }
              },
              LinkListener.HELLO_MS,
              TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
      ByteBuf frame = (ByteBuf) read;
      try {
        if (!greeted) {
          greeted = true;
          greeted(ctx.channel(), Hello.decode(frame));
        } else {
          silent.run(
              place,
              more ->
                  log.warn(
                      "{} at {} sent bytes over a link that it should only read on{}",
                      peer,
                      place,
                      more));
          ctx.close();
        }
      } catch (IllegalArgumentException e) {
        silent.run(place, more -> log.warn("No link to {}: {}{}", place, e.getMessage(), more));
        ctx.close();
      } finally {
        frame.release();
      }
    }

    private void greeted(Channel by, Hello hello) {
      if (by == channel) {
        begin(hello);
      } else if (by == trial && leadsTo(hello.from())) {
        reroute();
      } else {
        by.close();
      }
    }

    private void begin(Hello hello) {
      if (links.receiver().isStranger(hello)) {
        channel.close();
        return;
      }
      peer = hello.from();
      ready = !closed;
      tried = 0;
      refused = false;
      backoff.usable(nowMs());
      links.ready(Link.this);
      queuedBytes = 0;
      for (Queued next = queue.poll(); next != null; next = queue.poll()) {
        send(next.to(), next.frame());
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (ctx.channel() != channel) {
        trial = ctx.channel() == trial ? null : trial;
        return;
      }
      if (peer == null && !closed) {
        nextRoute();
        if (!greeted) {
          silent.run(place, more -> log.info("{} {}{}", place, end, more));
        }
      }
      end(false);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      log.debug("The link to {} broke: {}", place, cause.toString());
      ctx.close();
    }
  }
}
