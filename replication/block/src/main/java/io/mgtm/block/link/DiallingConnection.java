package io.mgtm.block.link;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** The end of a connection that dials: it proves the key, has the other prove it, and speaks. */
abstract class DiallingConnection extends LinkConnection {
  private final Authentication authentication;

  DiallingConnection(Compression compression, long timeoutMs, LinkSecurity security) {
    super(compression, timeoutMs);
    authentication = security.begin(true);
  }

  /** The other side may be told what this side is. */
  abstract void introduce();

  /** A frame of the other side, which has proved the key. */
  abstract void proven(int type, long seq, ByteBuf payload) throws LinkException;

  @Override
  final void ready() {
    if (authentication.isDone()) {
      introduce();
    } else {
      writer().text(Frame.AUTH, authentication.begin());
    }
  }

  @Override
  public int payloadBytesMax(int type) {
    boolean early = type == Frame.AUTH || type == Frame.PING || type == Frame.ERROR;
    return authentication.isDone() || early ? Frame.payloadBytesMax(type) : -1;
  }

  @Override
  public final void frame(
      int type, int flags, long seq, long offset, long rangeLength, ByteBuf payload)
      throws LinkException {
    switch (type) {
      case Frame.PING -> {}
      case Frame.ERROR ->
          endedBecause(
              "the replica says: " + PeerText.of(payload.toString(StandardCharsets.UTF_8)));
      case Frame.AUTH -> {
        writer().text(Frame.AUTH, authentication.take(bytes(payload)));
        introduce();
      }
      default -> proven(type, seq, payload);
    }
  }
}
