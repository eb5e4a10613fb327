package io.mgtm.block.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.function.Supplier;
import org.bouncycastle.tls.TlsServerProtocol;
import org.bouncycastle.tls.crypto.impl.bc.BcTlsCrypto;

/**
 * The server's side of TLS by pre-shared keys, which Java's own TLS lacks. Bouncy Castle's protocol
 * without blocking: bytes in and out are moved by hand. On the channel's event loop.
 */
public final class PskTlsHandler extends ChannelDuplexHandler {
  private static final int PIECE_BYTES = 16 * 1024;

  private final PskKeys keys;
  private final TlsServerProtocol protocol = new TlsServerProtocol();
  private final byte[] piece = new byte[PIECE_BYTES];

  /**
   * What makes a handler for each connection.
   *
   * @throws IOException when the file of keys is not what it should be
   */
  public static Supplier<PskTlsHandler> of(Path file) throws IOException {
    PskKeys keys = PskKeys.read(file);
    return () -> new PskTlsHandler(keys);
  }

  PskTlsHandler(PskKeys keys) {
    this.keys = keys;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws IOException {
    protocol.accept(new PskServer(new BcTlsCrypto(new SecureRandom()), keys));
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf in = (ByteBuf) message;
    try {
      while (in.isReadable() && !protocol.isClosed()) {
        int count = Math.min(piece.length, in.readableBytes());
        in.readBytes(piece, 0, count);
        protocol.offerInput(piece, 0, count);
        sendOutput(ctx);
        passInput(ctx);
      }
    } catch (IOException e) {
      sendOutput(ctx);
      ctx.fireExceptionCaught(new IOException("TLS failed: " + e.getMessage(), e));
    } finally {
      in.release();
    }
    if (protocol.isClosed()) {
      var unused = ctx.close();
    }
  }

  private void passInput(ChannelHandlerContext ctx) {
    for (int ready = protocol.getAvailableInputBytes();
        ready > 0;
        ready = protocol.getAvailableInputBytes()) {
      int count = Math.min(ready, piece.length);
      protocol.readInput(piece, 0, count);
      var unused = ctx.fireChannelRead(ctx.alloc().buffer(count).writeBytes(piece, 0, count));
    }
  }

  private void sendOutput(ChannelHandlerContext ctx) {
    int ready = protocol.getAvailableOutputBytes();
    if (ready > 0) {
      var unused = ctx.writeAndFlush(output(ctx, ready), ctx.voidPromise());
    }
  }

  private ByteBuf output(ChannelHandlerContext ctx, int ready) {
    ByteBuf out = ctx.alloc().buffer(ready);
    for (int left = ready; left > 0; ) {
      int count = protocol.readOutput(piece, 0, Math.min(left, piece.length));
      out.writeBytes(piece, 0, count);
      left -= count;
    }
    return out;
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise)
      throws IOException {
    ByteBuf plain = (ByteBuf) message;
    try {
      while (plain.isReadable()) {
        int count = Math.min(piece.length, plain.readableBytes());
        plain.readBytes(piece, 0, count);
        protocol.writeApplicationData(piece, 0, count);
      }
    } finally {
      plain.release();
    }
    var unused = ctx.write(output(ctx, protocol.getAvailableOutputBytes()), promise);
  }

  @Override
  public void close(ChannelHandlerContext ctx, ChannelPromise promise) throws IOException {
    if (!protocol.isClosed() && protocol.isConnected()) {
      protocol.close();
      sendOutput(ctx);
    }
    var unused = ctx.close(promise);
  }
}
