package io.mgtm.block.link;

import io.mgtm.block.volume.Change;
import io.mgtm.block.volume.Generations;
import io.mgtm.block.volume.Identity;
import io.mgtm.block.volume.Meeting.Decision;
import io.mgtm.block.volume.Meeting.Outcome;
import io.mgtm.block.volume.Receiver;
import io.mgtm.block.volume.ReceiverEffects;
import io.mgtm.block.volume.VolumeCore;
import io.mgtm.block.wire.Newcomers;
import io.mgtm.common.Rarely;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The target's end of one connection from a source. */
public final class TargetConnection extends LinkConnection implements ReceiverEffects {
  private static final Logger LOG = LoggerFactory.getLogger(TargetConnection.class);
  private static final Rarely STRANGERS = new Rarely();

  /** How much a source may ask for at once, and leave untaken: an NBD client's largest read. */
  private static final int READ_BYTES_MAX = 32 << 20;

  private final VolumeCore core;
  private final ArrayDeque<Change> idle = new ArrayDeque<>();
  private final Runnable sendAck = this::sendAck;
  private final LinkSecurity security;
  private final Authentication authentication;
  private final Newcomers newcomers;
  private boolean met;
  private boolean refused;
  private boolean asked;
  private boolean ackScheduled;
  private boolean ackOwed;

  /**
   * A connection to a source.
   *
   * @param timeoutMs after so long without a word the connection counts as lost
   * @param security how the source is to prove that it is one
   * @param newcomers bounds how many may be there that have not introduced themselves
   */
  public TargetConnection(
      VolumeCore core,
      Compression compression,
      long timeoutMs,
      LinkSecurity security,
      Newcomers newcomers) {
    super(compression, timeoutMs);
    this.core = core;
    this.security = security;
    this.newcomers = newcomers;
    authentication = security.begin(false);
  }

  private Receiver receiver() {
    return core.receiver();
  }

  @Override
  public void channelActive(ChannelHandlerContext ctx) throws Exception {
    newcomers.came(this, () -> fail("too many connections came that do not introduce themselves"));
    super.channelActive(ctx);
  }

  @Override
  void ready() {}

  @Override
  boolean isEstablished() {
    return met;
  }

  @Override
  public int payloadBytesMax(int type) {
    if (met || type == Frame.PING || type == Frame.ERROR || type == Frame.AUTH) {
      return Frame.payloadBytesMax(type);
    }
    return authentication.isDone() && isIntroduction(type) ? Frame.payloadBytesMax(type) : -1;
  }

  private static boolean isIntroduction(int type) {
    return type == Frame.HELLO || type == Frame.ASK;
  }

  @Override
  public String refusalOf(int type) {
    return !met && isIntroduction(type)
        ? "the side that is dialled has a link key, and the side that dials has not proved one; give"
            + " both the same key by --link-key FILE"
        : super.refusalOf(type);
  }

  @Override
  void gone(String why) {
    newcomers.left(this);
    if (asked) {
      return;
    }
    if (refused) {
      // Each of its tries ends here; the receiver has told why, once.
      LOG.debug("a source at {} was refused: {}", context().channel().remoteAddress(), why);
    } else if (!met) {
      STRANGERS.run(
          more ->
              LOG.info(
                  "a source at {} was not taken: {}{}",
                  context().channel().remoteAddress(),
                  why,
                  more));
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
      endedBecause("the source says: " + PeerText.of(payload.toString(StandardCharsets.UTF_8)));
      return;
    }
    switch (type) {
      case Frame.AUTH -> {
        byte[] answer = authentication.take(bytes(payload));
        if (answer != null) {
          writer().text(Frame.AUTH, answer);
        }
      }
      case Frame.HELLO -> hello(Hello.read(bytes(payload)));
      case Frame.ASK -> asked(Hello.read(bytes(payload)));
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
        receiver().read(seq, new Change().readRange(offset, rangeLength));
      }
      case Frame.READ -> {
        checkRange(offset, rangeLength);
        if (rangeLength > READ_BYTES_MAX || unsentBytes() > READ_BYTES_MAX) {
          throw new LinkException("more was asked for than is taken");
        }
        receiver().read(seq, new Change().readBytes(offset, rangeLength));
      }
      case Frame.SYNC_START -> {
        if (rangeLength > core.state().chunks()) {
          throw new LinkException("a resync of more chunks than there are");
        }
        receiver().syncStart(seq, (int) rangeLength, generations(payload));
      }
      case Frame.SYNC_DONE -> receiver().syncDone(seq, generations(payload));
      case Frame.GENERATIONS -> receiver().generations(seq, generations(payload));
      case Frame.HANDOVER -> receiver().handover(seq);
      case Frame.OUTDATED -> receiver().cutOff(this);
      case Frame.RESIZE -> {
        if (!core.administration().isPossibleSize(offset)) {
          throw new LinkException("a new size of " + offset + " bytes was asked for");
        }
        receiver().resize(seq, offset);
      }
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
      newcomers.left(this);
      writer().bits(core.view().changedSince(source.nodeId()));
      writer().text(Frame.WELCOME, Hello.write(core.identityFor(source.nodeId())));
    } else if (decision.outcome() == Outcome.SOURCE_FORGOT) {
      // It ends the connection once it has read what it does not know of itself.
      refused = true;
      writer().text(Frame.WELCOME, Hello.write(core.identityFor(source.nodeId())));
    } else {
      refused = true;
      if (core.administration().isPossibleSize(source.sizeBytes())) {
        core.administration().fit(source, decision);
      }
      // Who has proved nothing is not told what this copy is.
      boolean proven = security.isProving();
      String told = proven ? decision.reason() : "refused; the other side's log says why";
      String self = proven ? core.state().nodeId() : "";
      writer().text(Frame.REFUSE, Hello.write(decision.outcome(), told, self));
      fail(told);
    }
  }

  private void asked(Identity candidate) {
    asked = true;
    String refusal = receiver().refusalToTestify(candidate);
    if (refusal != null) {
      fail(refusal);
      return;
    }
    core.administration()
        .testify(
            candidate,
            (self, handsOver) -> {
              if (!isClosed()) {
                writer().text(Frame.TESTIMONY, Hello.write(self, handsOver));
              }
            });
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
  public void sendBytes(long seq, Change read) {
    writer().data(Frame.DATA, 0, seq, read.offset(), (ByteBuf) read.context());
  }

  private long unsentBytes() {
    ChannelOutboundBuffer unsent = context().channel().unsafe().outboundBuffer();
    return unsent == null ? 0 : unsent.totalPendingWriteBytes();
  }

  @Override
  public boolean isAlive() {
    return !isClosed() && silentMs() < timeoutMs() / 2;
  }

  @Override
  public void close(String reason) {
    fail(reason);
  }
}
