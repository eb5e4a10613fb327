package io.mgtm.group.net;

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
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes the links that other members make, and reads on them. Loop's thread unless it says so. */
final class DirectListener {
  private static final Logger log = LoggerFactory.getLogger(DirectListener.class);

  /** Above a member's own port; the failure detection's are between them. */
  static final int PORT_OFFSET = 200;

  /** A frame of a process that this member's view does not have, yet or any more. */
  private static final int UNKNOWN_BYTES_MAX = 1 << 20;

  private static final int HELLO_MS = 3_000;
  private static final String FRAMES = "frames";

  private final EventLoop loop;
  private final ServerSocketChannel listening;
  private final String cluster;
  private final Gate gate;
  private final DirectTls tls;
  private final Transport.Receiver receiver;
  private final Consumer<UUID> ended;
  private final Rarely refusals = new Rarely();
  private final Set<Channel> connections = new HashSet<>();
  private UUID self;
  private Set<UUID> processes = Set.of();
  private long dropped;

  /**
   * A listener without an address.
   *
   * @param tls null for none
   */
  DirectListener(
      EventLoop loop,
      ServerSocketChannel listening,
      String cluster,
      Gate gate,
      DirectTls tls,
      Transport.Receiver receiver,
      Consumer<UUID> ended) {
    this.loop = loop;
    this.listening = listening;
    this.cluster = cluster;
    this.gate = gate;
    this.tls = tls;
    this.receiver = receiver;
    this.ended = ended;
    listening.config().setReuseAddress(true);
    listening.pipeline().addLast(new Acceptor());
  }

  /**
   * Listens {@value #PORT_OFFSET} above a member's own port. When another program has that, on any:
   * the others are told where. Called by the loop's thread, or by one that may wait for it.
   *
   * @throws LogException with ACCESS when it cannot
   */
  void bind(InetSocketAddress member) {
    await(loop.register(listening));
    ChannelFuture bound = at(member, member.getPort() + PORT_OFFSET);
    if (!bound.isSuccess()) {
      log.warn(
          "Port {} is not free for links of other members ({}); another is taken, which a firewall"
              + " may not know",
          member.getPort() + PORT_OFFSET,
          bound.cause().getMessage());
      bound = at(member, 0);
    }
    if (!bound.isSuccess()) {
      listening.close();
      throw new LogException(
          Category.ACCESS,
          "Member at %s cannot listen for links of other members: %s; correct its own address in group.members, which must be one of this machine"
              .formatted(member, bound.cause().getMessage()),
          bound.cause());
    }
  }

  private ChannelFuture at(InetSocketAddress member, int port) {
    int valid = port > 0xFFFF ? 0 : port;
    return await(listening.bind(new InetSocketAddress(member.getAddress(), valid)));
  }

  /** On the loop's own thread it is done already. */
  private ChannelFuture await(ChannelFuture future) {
    if (!loop.inEventLoop()) {
      future.awaitUninterruptibly();
    }
    return future;
  }

  /** Where it listens; any thread. */
  InetSocketAddress address() {
    return listening.localAddress();
  }

  /** From here on messages of these processes are taken. */
  void known(UUID process, Collection<UUID> others) {
    self = process;
    processes = Set.copyOf(others);
  }

  /** How many messages came of processes outside the view. */
  long dropped() {
    return dropped;
  }

  void close() {
    listening.close();
    Set.copyOf(connections).forEach(Channel::close);
  }

  private static LengthFieldBasedFrameDecoder frames(int bytesMax) {
    return new LengthFieldBasedFrameDecoder(bytesMax, 0, Integer.BYTES, 0, Integer.BYTES);
  }

  /** Frames of a process: long ones only while it is in the view. */
  private final class Frames extends LengthFieldBasedFrameDecoder {
    private final UUID from;

    Frames(UUID from) {
      super(DirectLinks.FRAME_BYTES_MAX, 0, Integer.BYTES, 0, Integer.BYTES);
      this.from = from;
    }

    @Override
    protected long getUnadjustedFrameLength(ByteBuf in, int at, int bytes, ByteOrder order) {
      long length = super.getUnadjustedFrameLength(in, at, bytes, order);
      if (length > UNKNOWN_BYTES_MAX && !processes.contains(from)) {
        throw new TooLongFrameException(
            "a message of %d bytes of a process that is not in the view".formatted(length));
      }
      return length;
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
      connection.pipeline().addLast(FRAMES, frames(DirectHello.BYTES_MAX)).addLast(new Incoming());
      loop.register(connection);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      log.warn("A link could not be accepted: {}", cause.toString());
    }
  }

  /** A link that another member made. */
  private final class Incoming extends ChannelInboundHandlerAdapter {
    private Future<?> limit;
    private UUID from;

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      connections.add(ctx.channel());
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
        } else if (processes.contains(from)) {
          ByteBuffer message = ByteBuffer.allocate(frame.readableBytes());
          frame.readBytes(message);
          receiver.receivedByOwner(message.flip());
        } else {
          dropped++; // of a process that this member's view does not have, yet or any more
        }
      } catch (IllegalArgumentException e) {
        refuse(ctx, e.getMessage());
      } finally {
        frame.release();
      }
    }

    /** Only who has said who it is may send much. */
    private void begin(ChannelHandlerContext ctx, ByteBuf frame) {
      from = DirectHello.decode(frame, cluster, self).from();
      limit.cancel(false);
      ctx.pipeline().replace(FRAMES, FRAMES, new Frames(from));
    }

    private void refuse(ChannelHandlerContext ctx, String reason) {
      refusals.run(
          more ->
              log.info("Closed a link from {}: {}{}", ctx.channel().remoteAddress(), reason, more));
      ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      connections.remove(ctx.channel());
      if (limit != null) {
        limit.cancel(false);
      }
      if (from != null && processes.contains(from)) {
        ended.accept(from);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      refuse(ctx, cause.getMessage());
    }
  }
}
