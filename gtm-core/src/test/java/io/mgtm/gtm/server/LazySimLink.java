package io.mgtm.gtm.server;

import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.AdminReplyKind;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.LinkFormat;
import io.mgtm.gtm.wire.link.NodeFrameDecoder;
import io.mgtm.gtm.wire.link.NodeFrameHandler;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.mgtm.gtm.wire.link.Standing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** A front's link to a member: both directions keep their order and take their time. */
final class LazySimLink implements FrontPeer, NodeFrameHandler {
  private final LazySimFront front;
  private final LazySimGroup.Member member;
  private final LinkEngine engine;
  private final LazySimTime time;
  private final RandomGenerator random;
  private final LazySimFault fault;
  private final NodeFrameDecoder decoder = new NodeFrameDecoder(LinkFormat.FRAME_BYTES_MAX, this);
  private final int number;
  private List<ByteBuf> written = new ArrayList<>();
  private boolean broken;
  private long toMemberAt;
  private long toFrontAt;

  LazySimLink(
      LazySimFront front,
      LazySimGroup.Member member,
      LazySimTime time,
      RandomGenerator random,
      LazySimFault fault) {
    this.number = time.nextNumber();
    this.front = front;
    this.member = member;
    this.engine = member.engine;
    this.time = time;
    this.random = random;
    this.fault = fault;
  }

  /** The same in each run of a seed: the engine's maps go by it. */
  @Override
  public int hashCode() {
    return number;
  }

  @Override
  public boolean equals(Object other) {
    return this == other;
  }

  LazySimGroup.Member member() {
    return member;
  }

  /** Something is on its way to the member, which may have died by then. */
  void send(LinkWork work) {
    toMemberAt = Math.max(toMemberAt, time.micros() + 20 + random.nextInt(400));
    time.after(
        toMemberAt - time.micros(),
        () -> {
          if (!broken && engine != null && engine == member.engine) {
            engine.submit(work);
          }
        });
  }

  void breakNow() {
    if (!broken) {
      broken = true;
      if (engine != null && engine == member.engine) {
        engine.submit(new LinkWork.Gone(this));
      }
    }
  }

  @Override
  public String front() {
    return front.name();
  }

  @Override
  public FrontKind kind() {
    return front.kind();
  }

  @Override
  public int version() {
    return LinkFormat.VERSION;
  }

  @Override
  public boolean isOwn() {
    return front.name().equals(member.name) && fault != LazySimFault.OWN_FRONT_AT_ONCE;
  }

  @Override
  public ByteBuf newBuffer() {
    return Unpooled.buffer();
  }

  @Override
  public void write(ByteBuf frames) {
    written.add(frames);
  }

  @Override
  public void flush() {
    List<ByteBuf> now = written;
    written = new ArrayList<>();
    toFrontAt = Math.max(toFrontAt, time.micros() + 20 + random.nextInt(400));
    time.after(
        toFrontAt - time.micros(),
        () -> {
          try {
            for (ByteBuf next : now) {
              if (!broken) {
                decoder.decode(next);
              }
            }
          } catch (WireException e) {
            throw new LazySimViolation("a frame cannot be read", e);
          }
        });
  }

  @Override
  public void held(int bytes) {}

  @Override
  public boolean takesMore() {
    return true;
  }

  @Override
  public void standing(Standing standing) {}

  @Override
  public void abort() {
    throw new LazySimViolation("the link of " + front.name() + " is aborted");
  }

  @Override
  public void disconnect() {
    throw new LazySimViolation("the link of " + front.name() + " is closed");
  }

  @Override
  public String describe() {
    return front.name();
  }

  @Override
  public void challenge(byte[] nonce) {
    throw new LazySimViolation("nobody asks for a secret");
  }

  @Override
  public void attached(long session, long last) {
    front.attached(this);
  }

  @Override
  public void refused(long session, RefusalCode code, String message, String hint) {
    front.refused(this, code, message);
  }

  @Override
  public void reply(long session, long number, boolean close, ByteBuf bytes) {
    front.reply(this, number, bytes);
  }

  @Override
  public void entries(LinkEntries entries) {
    front.entries(this, entries);
  }

  @Override
  public void pong(long nonce) {}

  @Override
  public void adminReply(long id, AdminReplyKind kind, ByteBuf bytes) {
    throw new LazySimViolation("nobody asked");
  }
}
