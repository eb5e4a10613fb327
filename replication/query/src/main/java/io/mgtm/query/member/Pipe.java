package io.mgtm.query.member;

import io.mgtm.query.connection.Loops;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * One direction of a connection that is forwarded: what this end sends goes to the other as it is.
 * Nothing is read from this end while more waits for the other than {@code
 * limits.outboundBytesMax}. When one end closes, so does the other, once it has got what was sent:
 * neither clients nor sessions do anything more when they have read the end. Belongs to the loop of
 * both connections.
 */
final class Pipe extends ChannelInboundHandlerAdapter {
  private final Channel other;

  Pipe(Channel other) {
    this.other = other;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    other.write(message);
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext context) {
    other.flush();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    other.config().setAutoRead(context.channel().isWritable());
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    Loops.closeAfter(other, Unpooled.EMPTY_BUFFER);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    context.close();
  }
}
