package io.mgtm.gtm.wire.link;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;

/** Decodes streams that come in parts. */
public final class LinkStreams {
  private LinkStreams() {}

  /** Decodes what it can. */
  private interface Decoder {
    void decode(ByteBuf in) throws WireException;
  }

  /** What a gateway's stream says, with the error that it ends with. */
  public static List<String> ofGateway(int frameBytesMax, List<ByteBuf> parts) {
    RecordedFrames frames = new RecordedFrames();
    return decode(parts, frames, new GatewayFrameDecoder(frameBytesMax, frames)::decode);
  }

  /** What a node's stream says, with the error that it ends with. */
  public static List<String> ofNode(int frameBytesMax, List<ByteBuf> parts) {
    RecordedFrames frames = new RecordedFrames();
    return decode(parts, frames, new NodeFrameDecoder(frameBytesMax, frames)::decode);
  }

  private static List<String> decode(List<ByteBuf> parts, RecordedFrames frames, Decoder decoder) {
    ByteBuf stream = Unpooled.buffer();
    for (ByteBuf part : parts) {
      stream.writeBytes(part.duplicate());
      try {
        decoder.decode(stream);
      } catch (WireException e) {
        assertThat(e.getMessage()).isNotEmpty();
        frames.events.add("broken: " + e.getMessage());
        return frames.events;
      }
    }
    return frames.events;
  }
}
