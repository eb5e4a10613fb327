package io.mgtm.query.member;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig;
import io.mgtm.query.connection.Loops;
import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.fleet.Leadership;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.StartupPacket;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.ChannelGroupFuture;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The connections of clients that a member of a group forwards to the one that serves, and those
 * that it holds until one does. Any thread.
 *
 * <p>A forwarded connection does not outlive the tenure that it was forwarded to. Where that one's
 * machine has vanished nothing else would tell: the client's own connection, which is to this
 * member, is well.
 */
final class Forwards {
  private static final AttributeKey<ForwardKey> KEY = AttributeKey.valueOf(Forwards.class, "key");
  private static final int LOOK_MS = 500;
  private static final int LEAVE_AGAIN_MS = 1_000;
  private static final int CLOSE_MS = 2_000;

  private final QueryConfig config;
  private final EventLoop loop;
  private final Supplier<Leadership> where;
  private final ChannelGroup held;
  private final ChannelGroup forwarded;
  private long ledNanos = System.nanoTime();
  private volatile boolean stopping;

  /**
   * Of a member, with none.
   *
   * @param loop looks after them
   * @param where who leads now
   */
  Forwards(QueryConfig config, EventLoop loop, Supplier<Leadership> where) {
    this.config = config;
    this.loop = loop;
    this.where = where;
    this.held = new DefaultChannelGroup(loop);
    this.forwarded = new DefaultChannelGroup(loop);
    loop.scheduleWithFixedDelay(this::look, LOOK_MS, LOOK_MS, TimeUnit.MILLISECONDS);
  }

  /** Who leads now. */
  Leadership where() {
    return where.get();
  }

  /** Whether it is this member. */
  boolean isHere(Leadership of) {
    return of.leader().equals(config.group().name());
  }

  /** Clients that wait until somebody serves. */
  int heldCount() {
    return held.size();
  }

  /** Clients that are served by another member. */
  int count() {
    return forwarded.size();
  }

  /** Whether clients that are held are to go. */
  boolean isStopping() {
    return stopping;
  }

  void hold(Channel client) {
    held.add(client);
  }

  void release(Channel client) {
    held.remove(client);
  }

  /** Who is held may be served, or forwarded to another one. */
  void lookAgain() {
    held.forEach(client -> client.pipeline().fireUserEventTriggered(Arrival.LOOK));
  }

  /** What a client is told that cannot be served now. Libraries go on to the next host. */
  ErrorFields refusal() {
    return ErrorFields.fatal("57P03", whyNotServed()).withHint("Connect again.");
  }

  private String whyNotServed() {
    Leadership now = where();
    if (stopping) {
      return "this replicator stops";
    }
    if (now.leader().isEmpty()) {
      return "no replicator leads now";
    }
    if (isHere(now)) {
      return "this replicator leads, and is not known to serve yet";
    }
    return now.isServed()
        ? "the replicator %s serves, not this one".formatted(now.leader())
        : "the replicator " + now.leader() + " leads, and is not known to serve yet";
  }

  /**
   * Connects to the member that serves, and tells it of a client. Who no longer waits cancels the
   * future, and the connection closes.
   *
   * @param on runs the connection
   * @param client its address, or null to tell that this member stops
   * @return the connection when it was taken, and nothing was sent over it by the client
   */
  Future<Channel> open(EventLoop on, Leadership to, InetAddress client) {
    Promise<Channel> taken = on.newPromise();
    StartupPacket.Forward claim = new StartupPacket.Forward(config.group().name(), client);
    HostPort at = HostPort.parse(to.address());
    Loops.client(on, config.limits().outboundBytesMax(), config.timeouts().connectMs())
        .handler(new ForwardHandshake(claim, to.key(), taken))
        .connect(at.host(), at.port())
        .addListener(
            (ChannelFuture connected) -> {
              if (!connected.isSuccess()) {
                taken.tryFailure(connected.cause());
              }
              taken.addListener(
                  done -> {
                    if (!done.isSuccess()) {
                      connected.channel().close();
                    }
                  });
            });
    return taken;
  }

  /** A client's connection goes on at the member that has taken it; on the loop of both. */
  void join(Channel client, Channel server, Leadership to) {
    client.attr(KEY).set(to.key());
    server.pipeline().addLast(new Pipe(client));
    client.pipeline().addLast(new Pipe(server));
    forwarded.add(client);
    if (!server.isActive()) {
      client.close();
    }
  }

  /** Ends what has nobody at its other end any more, as far as this member can know. */
  private void look() {
    Leadership now = where();
    long nanos = System.nanoTime();
    if (!now.leader().isEmpty()) {
      ledNanos = nanos;
    }
    boolean cutOff =
        nanos - ledNanos > TimeUnit.MILLISECONDS.toNanos(config.timeouts().connectMs());
    if (now.isServed() || cutOff) {
      forwarded.close(client -> cutOff || !now.key().equals(client.attr(KEY).get()));
    }
  }

  /**
   * Refuses who is held, and lets the others finish: the one that serves them knows when nothing
   * runs in them. Waits for it, not on a loop.
   */
  void stop() {
    stopping = true;
    held.newCloseFuture().awaitUninterruptibly(CLOSE_MS);
    ChannelGroupFuture gone = forwarded.newCloseFuture();
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(config.drainMs());
    for (long left = config.drainMs(); !gone.isDone() && left > 0; ) {
      leave();
      gone.awaitUninterruptibly(Math.min(left, LEAVE_AGAIN_MS));
      left = TimeUnit.NANOSECONDS.toMillis(endNanos - System.nanoTime());
    }
    forwarded.close().awaitUninterruptibly(CLOSE_MS);
  }

  private void leave() {
    Leadership now = where();
    if (now.isServed() && !isHere(now)) {
      open(loop, now, null)
          .addListener(
              (Future<Channel> told) -> {
                if (told.isSuccess()) {
                  told.getNow().close();
                }
              });
    }
  }
}
