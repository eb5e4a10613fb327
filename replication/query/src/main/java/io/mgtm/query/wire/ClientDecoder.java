package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/**
 * What clients send: {@link StartupPacket}s up to the one that begins the session, then {@link
 * Frame}s. Nothing may follow a request for encryption before it is answered, lest bytes that were
 * sent in the clear be taken for encrypted ones (CVE-2021-23214).
 */
public final class ClientDecoder extends ByteToMessageDecoder {
  private final FrameSplitter splitter;
  private boolean started;

  /**
   * A decoder for a new connection.
   *
   * @param heldBytesMax the longest message that is held
   */
  public ClientDecoder(int heldBytesMax) {
    splitter = new FrameSplitter(FrameSplitter.Sender.CLIENT, heldBytesMax);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (started) {
      Frame frame = splitter.next(in);
      if (frame != null) {
        out.add(frame);
      }
      return;
    }
    StartupPacket packet = StartupPacket.read(in);
    if (packet == null) {
      return;
    }
    started = packet instanceof StartupPacket.Start;
    if (!started && in.isReadable()) {
      throw new WireException(
          WireException.PROTOCOL_VIOLATION,
          "received unencrypted data after a request for encryption or to cancel");
    }
    out.add(packet);
  }

  @Override
  protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    // What was not sent whole is dropped.
  }
}
