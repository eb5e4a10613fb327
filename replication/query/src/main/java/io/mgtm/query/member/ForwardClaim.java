package io.mgtm.query.member;

import io.mgtm.query.fleet.ForwardKey;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/**
 * What somebody says who forwards a client's connection to this member, until it is proved. Belongs
 * to the connection's loop.
 */
final class ForwardClaim {
  private final StartupPacket.Forward says;
  private final Tenure to;
  private final byte[] challenge = ForwardKey.challenge();

  ForwardClaim(StartupPacket.Forward says, Tenure to) {
    this.says = says;
    this.to = to;
  }

  StartupPacket.Forward says() {
    return says;
  }

  /** Asks for the proof. */
  ByteBuf challenge() {
    return Unpooled.copiedBuffer(challenge);
  }

  boolean isProvedBy(StartupPacket.Proof proof) {
    return to.forwardKey().isProof(proof.proof(), challenge, says);
  }

  /** The member stops that has forwarded them. */
  void drain() {
    to.sessions().drainFrom(says.member());
  }
}
