package io.mgtm.query.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;

/** What servers send: the one byte that answers a request for TLS, if one was sent, then frames. */
public final class ServerDecoder extends ByteToMessageDecoder {
  /** A server's answer to a request for TLS. */
  public enum TlsAnswer {
    YES,
    NO
  }

  private final FrameSplitter splitter;
  private boolean tlsAnswered;

  /**
   * A decoder for a new connection.
   *
   * @param sender whose rows are streamed, or held
   * @param heldBytesMax the longest message that is held
   * @param tlsAsked whether a request for TLS was the first thing sent
   */
  public ServerDecoder(FrameSplitter.Sender sender, int heldBytesMax, boolean tlsAsked) {
    splitter = new FrameSplitter(sender, heldBytesMax);
    tlsAnswered = !tlsAsked;
  }

  /** Whether rows are held from the next message on, rather than streamed. */
  public void hold(boolean rows) {
    splitter.hold(rows);
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    if (tlsAnswered) {
      Frame frame = splitter.next(in);
      if (frame != null) {
        out.add(frame);
      }
      return;
    }
    byte answer = in.readByte();
    if (answer != 'S' && answer != 'N') {
      throw new WireException(
          WireException.PROTOCOL_VIOLATION, "the server answered a request for TLS with no answer");
    }
    if (in.isReadable()) {
      throw new WireException(
          WireException.PROTOCOL_VIOLATION, "the server sent unencrypted data after it took TLS");
    }
    tlsAnswered = true;
    out.add(answer == 'S' ? TlsAnswer.YES : TlsAnswer.NO);
  }

  @Override
  protected void decodeLast(ChannelHandlerContext context, ByteBuf in, List<Object> out) {
    // What was not sent whole is dropped.
  }
}
