package io.mgtm.query.server;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;

/** What a unit tells its client, at once or when it is committed. Belongs to a session. */
final class UnitOutput {
  private final ReplicatedSession session;
  private final List<ByteBuf> held = new ArrayList<>();
  private boolean hold;
  private boolean sent;
  private long bytes;

  UnitOutput(ReplicatedSession session) {
    this.session = session;
  }

  /** Whether what comes is held from now on. */
  void hold(boolean answers) {
    hold = answers;
  }

  /** Whether the client was told something already. */
  boolean isSent() {
    return sent;
  }

  /** What is held. */
  long bytes() {
    return bytes;
  }

  /** Something for the client, which is taken over. */
  void forward(ByteBuf one) {
    if (hold) {
      held.add(one);
      bytes += one.readableBytes();
    } else {
      sent = true;
      session.client().write(one);
    }
  }

  /** Tells what is held. */
  void send() {
    sent |= !held.isEmpty();
    held.forEach(one -> session.client().write(one));
    held.clear();
    bytes = 0;
  }

  /** Forgets what is held. */
  void drop() {
    held.forEach(ReferenceCountUtil::release);
    held.clear();
    bytes = 0;
  }
}
