package io.mgtm.bench.floor;

import io.mgtm.gtm.net.EventLoops;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.LengthFieldBasedFrameDecoder;
import java.net.InetSocketAddress;

/**
 * One process of a {@link FloorChain}: an event loop that serves connections. What a batch of the
 * loop brings leaves together at its end, as in a node and a proxy. All methods on the loop.
 */
abstract class Stage {
  private static final int FRAME_BYTES_MAX = 16 << 20;

  /** One of the stage's connections. */
  interface Peer {
    /** A whole frame has come. */
    void frame(ByteBuf frame);
  }

  private final EventLoop loop;
  private boolean asked;

  Stage(EventLoop loop) {
    this.loop = loop;
  }

  /** Somebody has connected. */
  abstract Peer accepted(Channel channel);

  /** Whether those who connect send the frames of the GTM protocol rather than a stage's. */
  abstract boolean servesClients();

  /** The end of a batch in which {@link #askEnd} was called. */
  abstract void endBatch();

  /** Lets {@link #endBatch} be called once the loop has read from all that was ready. */
  final void askEnd() {
    if (!asked) {
      asked = true;
      loop.execute(
          () -> {
            asked = false;
            endBatch();
          });
    }
  }

  /** Listens; waits until it does. Not on the loop. */
  final void listen(InetSocketAddress address) throws InterruptedException {
    EventLoops.server(loop, loop)
        .childHandler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                add(channel, accepted(channel), servesClients());
              }
            })
        .bind(address)
        .sync();
  }

  /** Connects to the next stage; waits until it has. Not on the loop. */
  static Channel connect(EventLoop loop, InetSocketAddress next) throws InterruptedException {
    return EventLoops.client(loop)
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                // The stage that connects adds what takes the answers.
              }
            })
        .connect(next)
        .sync()
        .channel();
  }

  /** Frames that come over a channel go to a peer. */
  static void add(Channel channel, Peer peer, boolean fromClient) {
    // A client's frame is a type, a length that counts itself, and the rest.
    channel
        .pipeline()
        .addLast(
            fromClient
                ? new LengthFieldBasedFrameDecoder(FRAME_BYTES_MAX, 1, 4, -4, 0)
                : new LengthFieldBasedFrameDecoder(FRAME_BYTES_MAX, 0, 4, 0, 4),
            new SimpleChannelInboundHandler<ByteBuf>() {
              @Override
              protected void channelRead0(ChannelHandlerContext ctx, ByteBuf frame) {
                peer.frame(frame);
              }

              @Override
              public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                ctx.close(); // A client that breaks its connection off costs only that.
              }
            });
  }
}
