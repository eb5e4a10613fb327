package io.mgtm.query.member;

import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.util.List;

/**
 * The beginning of a connection to the member that serves, up to where it is the client's: says who
 * the client is, proves it, and waits until it is taken. Belongs to the connection's loop.
 */
final class ForwardHandshake extends ByteToMessageDecoder {
  private final StartupPacket.Forward claim;
  private final ForwardKey key;
  private final Promise<Channel> taken;
  private boolean proved;

  /**
   * Of a connection that is to be made.
   *
   * @param taken told of the connection, to which whoever listens has added who reads it
   */
  ForwardHandshake(StartupPacket.Forward claim, ForwardKey key, Promise<Channel> taken) {
    this.claim = claim;
    this.key = key;
    this.taken = taken;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.writeAndFlush(Messages.forward(context.alloc(), claim));
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (!proved && in.readableBytes() >= ForwardKey.CHALLENGE_BYTES) {
      proved = true;
      byte[] challenge = new byte[ForwardKey.CHALLENGE_BYTES];
      in.readBytes(challenge);
      context.writeAndFlush(Messages.proof(context.alloc(), key.proof(challenge, claim)));
    } else if (proved && in.isReadable()) {
      boolean ours = in.readByte() == StartupPacket.TAKEN && taken.trySuccess(context.channel());
      if (ours) {
        context.pipeline().remove(this);
      } else {
        context.close();
      }
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    taken.tryFailure(new IOException("it does not take the connection"));
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    taken.tryFailure(cause);
    context.close();
  }
}
