package io.mgtm.block.link;

import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Receiver;
import io.mgtm.block.volume.ReceiverEffects;
import io.mgtm.block.volume.VolumeCore;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The target's end of one connection from a source. */
public final class TargetConnection extends LinkConnection implements ReceiverEffects {
  private static final Logger LOG = LoggerFactory.getLogger(TargetConnection.class);

  private final VolumeCore core;
  private final Growth growth;
  private final ArrayDeque<Change> idle = new ArrayDeque<>();
  private final Runnable sendAck = this::sendAck;
  private boolean met;
  private boolean ackScheduled;
  private boolean ackOwed;

  /** Makes room for a larger volume. */
  @FunctionalInterface
  public interface Growth {
    /** Tells {@code then}, perhaps later, null or why there is no room. */
    void grow(long sizeBytes, Consumer<String> then);
  }

  /**
   * A connection to a source.
   *
   * @param timeoutMs after so long without a word the connection counts as lost
   * @param growth makes room for a larger volume
   */
  public TargetConnection(VolumeCore core, Compression compression, long timeoutMs, Growth growth) {
    super(compression, timeoutMs);
    this.core = core;
    this.growth = growth;
  }

  private Receiver receiver() {
    return core.receiver();
  }

  @Override
  void ready() {}

  @Override
  void gone(String why) {
    if (!met) {
      LOG.info("a source at {} was not taken: {}", context().channel().remoteAddress(), why);
    }
    receiver().lost(this, why);
  }

  @Override
  public boolean isBlocked() {
    return isClosed() || (met && receiver().isBlocked());
  }

  @Override
  public void frame(int type, int flags, long seq, long offset, long rangeLength, ByteBuf payload)
      throws LinkException {
    if (type == Frame.PING) {
      return;
    }
    if (type == Frame.ERROR) {
      endedBecause("the source says: " + payload.toString(StandardCharsets.UTF_8));
      return;
    }
    if (type == Frame.HELLO) {
      hello(Hello.read(bytes(payload)));
      return;
    }
    if (!met) {
      throw new LinkException("a source must introduce itself first");
    }
    switch (type) {
      case Frame.WRITE -> write(flags, seq, offset, rangeLength, payload);
      case Frame.ZERO -> {
        checkRange(offset, rangeLength);
        boolean fua = (flags & Frame.FLAG_FUA) != 0;
        boolean unmap = (flags & Frame.FLAG_UNMAP) != 0;
        take(seq, flags, change().zero(offset, rangeLength, fua, unmap));
      }
      case Frame.FLUSH -> take(seq, flags, change().flush());
      case Frame.CHECKSUM_REQUEST -> {
        checkRange(offset, rangeLength);
        if (rangeLength > core.state().chunkBytes()) {
          throw new LinkException("a checksum of " + rangeLength + " bytes was asked for");
        }
        receiver().checksum(seq, new Change().readRange(offset, rangeLength));
      }
      case Frame.SYNC_START -> {
        if (rangeLength > core.state().chunks()) {
          throw new LinkException("a resync of more chunks than there are");
        }
        receiver().syncStart(seq, (int) rangeLength, generations(payload));
      }
      case Frame.SYNC_DONE -> receiver().syncDone(seq, generations(payload));
      case Frame.GENERATIONS -> receiver().generations(seq, generations(payload));
      case Frame.RESIZE -> receiver().resize(seq, offset);
      default -> throw new LinkException("a source may not send frames of type " + type);
    }
  }

  private void hello(Identity source) throws LinkException {
    if (met) {
      throw new LinkException("the source introduced itself twice");
    }
    Decision decision = receiver().meet(source, this);
    if (decision.accepted()) {
      met = true;
      writer().bits(core.view().changedSince(source.nodeId()));
      writer()
          .text(
              Frame.WELCOME,
              Hello.write(core.state().name(), core.state().identityFor(source.nodeId())));
    } else {
      writer().text(Frame.REFUSE, Hello.write(decision.outcome(), decision.reason()));
      fail(decision.reason());
    }
  }

  private void write(int flags, long seq, long offset, long rangeLength, ByteBuf payload)
      throws LinkException {
    if (payload.readableBytes() != rangeLength) {
      throw new LinkException(
          "a write of " + rangeLength + " bytes carries " + payload.readableBytes());
    }
    checkRange(offset, rangeLength);
    boolean fua = (flags & Frame.FLAG_FUA) != 0;
    take(seq, flags, change().write(offset, (int) rangeLength, fua, payload.retain()));
  }

  private void take(long seq, int flags, Change change) {
    boolean ordered = (flags & Frame.FLAG_ORDERED) != 0;
    receiver().change(seq, change.ordered(ordered).context(this));
  }

  private void checkRange(long offset, long length) throws LinkException {
    long size = core.state().sizeBytes();
    if (offset < 0 || length <= 0 || offset > size || length > size - offset) {
      throw new LinkException(
          "a frame covers " + length + " bytes at " + offset + ", past the end at " + size);
    }
  }

  private static Generations generations(ByteBuf payload) throws LinkException {
    if (payload.readableBytes() % 8 != 0
        || payload.readableBytes() / 8 > Generations.REMEMBERED_MAX) {
      throw new LinkException("a history has " + payload.readableBytes() + " bytes");
    }
    List<Long> ids = new ArrayList<>();
    while (payload.isReadable()) {
      ids.add(payload.readLong());
    }
    return new Generations(ids);
  }

  private Change change() {
    return idle.isEmpty() ? new Change() : idle.poll();
  }

  /** A change of this connection is complete and may be used again. */
  public void recycle(Change change) {
    idle.add(change);
  }

  // What the receiver wants.

  @Override
  public void acknowledge() {
    if (!ackScheduled) {
      ackScheduled = true;
      context().executor().execute(sendAck);
    }
  }

  private void sendAck() {
    ackScheduled = false;
    if (isClosed()) {
      return;
    }
    if (!context().channel().isWritable()) {
      // The source takes nothing: one acknowledgement later stands for all.
      ackOwed = true;
      return;
    }
    ackOwed = false;
    writer().ack(receiver().received(), receiver().written(), receiver().durable());
    resume();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    if (ackOwed && ctx.channel().isWritable()) {
      acknowledge();
    }
    super.channelWritabilityChanged(ctx);
  }

  @Override
  public void sendChecksum(long seq, Change read) {
    writer().checksum(seq, (byte[]) read.context());
  }

  @Override
  public void grow(long sizeBytes, Consumer<String> then) {
    growth.grow(sizeBytes, then);
  }

  @Override
  public void close(String reason) {
    fail(reason);
  }
}
