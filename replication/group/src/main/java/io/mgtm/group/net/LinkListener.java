package io.mgtm.group.net;

import io.mgtm.common.Rarely;
import io.mgtm.common.RarelyEach;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ServerSocketChannel;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import io.netty.handler.codec.TooLongFrameException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jgroups.Address;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the links that other processes make, and reads on them. Loop's thread unless it says so.
 */
final class LinkListener {
  private static final Logger log = LoggerFactory.getLogger(LinkListener.class);

  /** In which who connects says who it is. */
  static final int HELLO_MS = 2_000;

  /** The group's own of a process that this member's view does not have, yet or any more. */
  private static final int UNKNOWN_BYTES_MAX = 1 << 20;

  /** Members of a view say something several times a second. */
  private static final int IDLE_MS = 30_000;

  /** After a connection could not be accepted. */
  private static final int PAUSE_MS = 1_000;

  private static final String FRAMES = "frames";
  private static final String CLOSED = "Closed a connection of {}: {}{}";

  private final EventLoop loop;
  private final Supplier<ServerSocketChannel> sockets;
  private final List<ServerSocketChannel> listening = new ArrayList<>();
  private final Links links;
  private final Gate gate;
  private final GroupTls tls;
  private final Rarely refusals = new Rarely();
  private final RarelyEach<InetAddress> oneSided = new RarelyEach<>(Rarely::onceAMinute);
  private final Rarely failures = new Rarely();
  private final RefusedTls refused = new RefusedTls(System::nanoTime);
  private final Set<Incoming> connections = new HashSet<>();

  /** How many connections each process has made that are still there. */
  private final Map<Address, Integer> connected = new HashMap<>();

  private Future<?> sweep;
  private Set<Address> heard = Set.of();
  private long dropped;

  /**
   * A listener without an address.
   *
   * @param tls null for none
   */
  LinkListener(
      EventLoop loop, Supplier<ServerSocketChannel> sockets, Links links, Gate gate, GroupTls tls) {
    this.loop = loop;
    this.sockets = sockets;
    this.links = links;
    this.gate = gate;
    this.tls = tls;
  }

  /**
   * Takes an address of the member. Called by the loop's thread, or by one that may wait for it.
   *
   * @throws LogException with ACCESS when it cannot
   */
  void bind(InetSocketAddress member) {
    ServerSocketChannel socket = sockets.get();
    listening.add(socket);
    socket.config().setReuseAddress(true).setAutoRead(false);
    socket.pipeline().addLast(new Acceptor());
    await(loop.register(socket));
    ChannelFuture bound = await(socket.bind(member));
    if (!bound.isSuccess()) {
      listening.forEach(Channel::close);
      throw new LogException(
          Category.ACCESS,
          "Member at %s cannot listen for other members: %s; correct its own address in group.members, which must be a free one of this machine"
              .formatted(member, bound.cause().getMessage()),
          bound.cause());
    }
  }

  /** On the loop's own thread it is done already. */
  private ChannelFuture await(ChannelFuture future) {
    if (!loop.inEventLoop()) {
      future.awaitUninterruptibly();
    }
    return future;
  }

  void begin() {
    accept();
    sweep = loop.scheduleWithFixedDelay(this::closeIdle, IDLE_MS, IDLE_MS, TimeUnit.MILLISECONDS);
  }

  private void accept() {
    listening.forEach(socket -> socket.config().setAutoRead(true));
  }

  /** From here on the group's messages of these processes are taken. */
  void hear(Set<Address> processes) {
    heard = Set.copyOf(processes);
  }

  /** Whether a process has a connection that it made. */
  boolean isConnected(Address process) {
    return connected.containsKey(process);
  }

  /** Processes that have said something since this was asked last. */
  Set<Address> takeHeard() {
    Set<Address> spoke = new HashSet<>();
    for (Incoming incoming : connections) {
      if (incoming.from != null && incoming.frames.reads != incoming.readsAtLook) {
        incoming.readsAtLook = incoming.frames.reads;
        spoke.add(incoming.from);
      }
    }
    return spoke;
  }

  /**
   * Ends connections on which nothing has come since the last time, but those that are new. A
   * machine that dies ends none of them, and each would count for ever among those of its address.
   */
  void closeIdle() {
    for (Incoming incoming : Set.copyOf(connections)) {
      if (incoming.from != null && incoming.frames.reads == incoming.readsAtSweep) {
        incoming.connection.close();
      }
      incoming.readsAtSweep = incoming.from == null ? -1 : incoming.frames.reads;
    }
  }

  /** Ends what a process has connected; that says nothing of the process. */
  void cut(Address process) {
    for (Incoming incoming : Set.copyOf(connections)) {
      if (process.equals(incoming.from)) {
        incoming.cut = true;
        incoming.connection.close();
      }
    }
  }

  /** How many messages came of processes that are not heard. */
  long dropped() {
    return dropped;
  }

  RefusedTls refused() {
    return refused;
  }

  void close() {
    if (sweep != null) {
      sweep.cancel(false);
    }
    listening.forEach(Channel::close);
    Set.copyOf(connections).forEach(incoming -> incoming.connection.close());
  }

  static LengthFieldBasedFrameDecoder frames(int bytesMax) {
    return new LengthFieldBasedFrameDecoder(bytesMax, 0, Integer.BYTES, 0, Integer.BYTES);
  }

  /** Frames of a process, no longer than members send them; short ones before it is known. */
  private final class Frames extends LengthFieldBasedFrameDecoder {
    private final Address from;

    /** How often something came, parts of a long frame too. */
    private long reads;

    Frames(Address from) {
      super(Links.FRAME_BYTES_MAX + Integer.BYTES, 0, Integer.BYTES, 0, Integer.BYTES);
      this.from = from;
    }

    /** Waits for the kind too, on which the length's bound depends. */
    @Override
    protected Object decode(ChannelHandlerContext ctx, ByteBuf in) throws Exception {
      reads++;
      return in.readableBytes() <= Integer.BYTES ? null : super.decode(ctx, in);
    }

    @Override
    protected long getUnadjustedFrameLength(ByteBuf in, int at, int bytes, ByteOrder order) {
      long length = super.getUnadjustedFrameLength(in, at, bytes, order);
      if (from == null) {
        if (length > Hello.BYTES_MAX) {
          throw new TooLongFrameException(Hello.whyNone(length));
        }
        return length;
      }
      int max = bytesMax(in.getByte(at + Integer.BYTES));
      if (length > max) {
        throw new TooLongFrameException(
            "a message of %d bytes where %d are the most".formatted(length, max));
      }
      return length;
    }

    private int bytesMax(int kind) {
      if ((kind & Links.DATA) == 0) {
        return Links.CONTROL_BYTES_MAX;
      }
      return heard.contains(from) ? Links.FRAME_BYTES_MAX : UNKNOWN_BYTES_MAX;
    }
  }

  private final class Acceptor extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object accepted) {
      Channel connection = (Channel) accepted;
      if (!gate.admits(connection.remoteAddress(), connection::isOpen)) {
        connection.unsafe().closeForcibly();
        return;
      }
      connection.config().setOption(ChannelOption.TCP_NODELAY, true);
      if (tls != null) {
        connection.pipeline().addLast(tls.accepting(connection.alloc()));
      }
      connection.pipeline().addLast(FRAMES, new Frames(null)).addLast(new Incoming());
      loop.register(connection);
    }

    /** While there are no more files, say, trying again at once would keep the owner busy. */
    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      failures.run(
          more -> log.warn("A connection could not be accepted: {}{}", cause.toString(), more));
      if (ctx.channel().config().isAutoRead()) {
        ctx.channel().config().setAutoRead(false);
        loop.schedule(LinkListener.this::accept, PAUSE_MS, TimeUnit.MILLISECONDS);
      }
    }
  }

  /** A link that another process made. */
  private final class Incoming extends ChannelInboundHandlerAdapter {
    private Future<?> limit;
    private Address from;
    private Channel connection;
    private boolean cut;
    private boolean isRefused;
    private Frames frames;

    /** Below any number: who has just come has said something. */
    private long readsAtLook = -1;

    private long readsAtSweep = -1;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      connection = ctx.channel();
      connections.add(this);
      limit =
          ctx.executor()
              .schedule(
                  () -> refuse(ctx, "nothing came for a while"), HELLO_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object read) {
      ByteBuf frame = (ByteBuf) read;
      try {
        if (from == null) {
          begin(ctx, frame);
        } else {
          take(frame);
        }
      } catch (IllegalArgumentException | IndexOutOfBoundsException e) {
        refuse(ctx, e.getMessage());
      } finally {
        frame.release();
      }
    }

    /** Only who has said who it is may send much. It hears who this is in any case. */
    private void begin(ChannelHandlerContext ctx, ByteBuf frame) {
      ctx.writeAndFlush(links.self().encode(ctx.alloc()));
      Hello hello = Hello.decode(frame);
      limit.cancel(false);
      if (links.receiver().isStranger(hello)) {
        ctx.close();
        return;
      }
      from = hello.from();
      connected.merge(from, 1, Integer::sum);
      frames = new Frames(from);
      ctx.pipeline().replace(FRAMES, FRAMES, frames);
    }

    private void take(ByteBuf frame) {
      int kind = frame.readUnsignedByte();
      if (kind == Links.GOODBYE) {
        if (links.isInView(from)) {
          links.receiver().gone(from);
        }
      } else if ((kind & Links.DATA) == 0 || heard.contains(from)) {
        links.receiver().received(from, kind, frame);
      } else {
        dropped++; // of a process that this member's view does not have, yet or any more
      }
    }

    private void refuse(ChannelHandlerContext ctx, String reason) {
      refusals.run(more -> log.info(CLOSED, ctx.channel().remoteAddress(), reason, more));
      ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      connections.remove(this);
      if (limit != null) {
        limit.cancel(false);
      }
      if (from != null
          && connected.computeIfPresent(from, (p, n) -> n == 1 ? null : n - 1) == null
          && !cut
          && links.isInView(from)) {
        links.receiver().ended(from);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      if (isRefused) {
        return; // A decoder may fail again over the rest, as the connection ends.
      }
      isRefused = true;
      InetSocketAddress at = (InetSocketAddress) ctx.channel().remoteAddress();
      refused.note(at, cause);
      Optional<String> why = RefusedTls.oneSided(cause);
      if (why.isPresent()) {
        oneSided.run(at.getAddress(), more -> log.warn(CLOSED, at, why.get(), more));
        ctx.close();
      } else {
        refuse(ctx, cause.getMessage());
      }
    }
  }
}
