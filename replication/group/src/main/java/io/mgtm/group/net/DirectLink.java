package io.mgtm.group.net;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The link that this member made to another. It is made again until it is closed or its member has
 * left the view. Loop's thread.
 */
final class DirectLink {
  private static final Logger log = LoggerFactory.getLogger(DirectLink.class);
  private static final int FIRST_PAUSE_MS = 20;
  private static final int PAUSE_MS_MAX = 1_000;

  private final String name;
  private final DirectLinks.Peer peer;
  private final Bootstrap bootstrap;
  private final DirectHello hello;
  private Channel channel;
  private int pauseMs = FIRST_PAUSE_MS;
  private boolean ready;
  private boolean closed;

  /** What to do when the connection of a member outside the view ends; null while it is inside. */
  private Runnable atEnd;

  /**
   * A link that is not connected yet.
   *
   * @param tls null for none
   */
  DirectLink(
      String name, DirectLinks.Peer peer, Bootstrap bootstrap, DirectHello hello, DirectTls tls) {
    this.name = name;
    this.peer = peer;
    this.hello = hello;
    this.bootstrap =
        bootstrap.handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel made) {
                if (tls != null) {
                  made.pipeline().addLast(tls.connecting(made.alloc()));
                }
                made.pipeline().addLast(new Watch());
              }
            });
  }

  String name() {
    return name;
  }

  DirectLinks.Peer peer() {
    return peer;
  }

  boolean isInView() {
    return atEnd == null;
  }

  /**
   * The view has lost the member: from here on the link lasts as long as its connection.
   *
   * @param end called when that ends
   * @return whether there is a connection
   */
  boolean leaveView(Runnable end) {
    if (atEnd == null) {
      atEnd = end;
    }
    return ready;
  }

  void connect() {
    ChannelFuture connecting = bootstrap.connect(peer.at());
    channel = connecting.channel();
    connecting.addListener(
        done -> {
          if (!done.isSuccess()) {
            log.debug("No link to {} at {}: {}", name, peer.at(), done.cause().toString());
            later();
          }
        });
  }

  private void later() {
    ready = false;
    if (closed) {
      return;
    }
    if (!isInView()) {
      close();
      atEnd.run();
      return;
    }
    int jitter = ThreadLocalRandom.current().nextInt(pauseMs);
    channel
        .eventLoop()
        .schedule(
            () -> {
              if (!closed) {
                connect();
              }
            },
            pauseMs + jitter,
            TimeUnit.MILLISECONDS);
    pauseMs = Math.min(PAUSE_MS_MAX, 2 * pauseMs);
  }

  /** False when there is no connection now. A message that would have to wait long is dropped. */
  boolean send(byte[] message) {
    if (!ready) {
      return false;
    }
    if (channel.isWritable()) {
      ByteBuf frame = channel.alloc().directBuffer(Integer.BYTES + message.length);
      channel.writeAndFlush(
          frame.writeInt(message.length).writeBytes(message), channel.voidPromise());
    }
    return true;
  }

  void close() {
    closed = true;
    ready = false;
    if (channel != null) {
      channel.close();
    }
  }

  /** What happens to the connection. Nothing is read on it but its end. */
  private final class Watch extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      // With TLS this waits for the handshake within its handler, as all that follows.
      ctx.writeAndFlush(hello.encode(ctx.alloc(), peer.process()));
      ready = !closed;
      pauseMs = FIRST_PAUSE_MS;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object bytes) {
      ReferenceCountUtil.release(bytes);
      log.warn("Member {} sent bytes over a link that it should only read on", name);
      ctx.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      later();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      log.debug("The link to {} broke: {}", name, cause.toString());
      ctx.close();
    }
  }
}
