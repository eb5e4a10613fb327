package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.mgtm.gtm.wire.link.NodeFrameHandler;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** A gateway's link that writes down what it is told, once that was flushed. */
public final class RecordingPeer implements GatewayPeer, NodeFrameHandler {
  final String name;
  private final Supplier<ByteBuf> buffers;
  public final List<String> told = new ArrayList<>();
  public final List<Long> numbers = new ArrayList<>();
  final List<LinkEntries> given = new ArrayList<>();
  private final List<ByteBuf> written = new ArrayList<>();
  private final NodeFrameDecoder decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, this);
  int heldBytes;
  int flushes;
  int writes;
  boolean disconnected;
  boolean own;
  public boolean takesMore = true;
  public boolean open = true;
  public final ByteBuf pieces = Unpooled.buffer();
  int replyBytes;
  int version = LinkFormat.VERSION;

  public RecordingPeer(String name) {
    this(name, Unpooled::buffer);
  }

  RecordingPeer(String name, Supplier<ByteBuf> buffers) {
    this.name = name;
    this.buffers = buffers;
  }

  @Override
  public String gateway() {
    return name;
  }

  @Override
  public GatewayKind kind() {
    return GatewayKind.PROXY;
  }

  @Override
  public int version() {
    return version;
  }

  @Override
  public boolean isOwn() {
    return own;
  }

  @Override
  public void entries(LinkEntries entries) {
    given.add(entries);
    told.add("entries %d to %d".formatted(entries.first(), entries.last()));
  }

  @Override
  public ByteBuf newBuffer() {
    return buffers.get();
  }

  @Override
  public void write(ByteBuf frames) {
    writes++;
    written.add(frames);
  }

  @Override
  public void flush() {
    flushes++;
    for (ByteBuf next : written) {
      try {
        decoder.decode(next);
      } catch (WireException e) {
        throw new IllegalStateException(e);
      }
      next.release();
    }
    written.clear();
  }

  @Override
  public void abort() {
    written.forEach(ByteBuf::release);
    written.clear();
    told.add("aborted");
  }

  @Override
  public void held(int bytes) {
    heldBytes += bytes;
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public boolean takesMore() {
    return takesMore;
  }

  @Override
  public void pieces(long session, long number, long id, long bytes) {
    numbers.add(number);
    told.add(number + ":pieces " + id + " of " + bytes);
  }

  @Override
  public void piece(long id, ByteBuf bytes) {
    told.add("piece of " + bytes.readableBytes());
    pieces.writeBytes(bytes);
  }

  @Override
  public void leadership(Leadership leadership) {
    told.add("leading " + leadership.leading());
  }

  @Override
  public void disconnect() {
    disconnected = true;
  }

  @Override
  public String describe() {
    return name;
  }

  @Override
  public void challenge(byte[] nonce) {
    told.add("challenge");
  }

  @Override
  public void attached(long session, long last) {
    told.add("attached " + last);
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    told.add("refused " + code);
  }

  @Override
  public void reply(long session, long number, boolean close, ByteBuf bytes) {
    numbers.add(number);
    replyBytes += bytes.readableBytes();
    told.add(number + (bytes.isReadable() ? ":" + (char) bytes.getByte(bytes.readerIndex()) : ":"));
  }

  @Override
  public void pong(long nonce) {
    told.add("pong");
  }

  @Override
  public void adminReply(long id, AdminReplyKind kind, ByteBuf bytes) {
    told.add("admin " + kind);
    if (kind == AdminReplyKind.PIECE) {
      pieces.writeBytes(bytes);
    }
  }
}
