package io.mgtm.bench.floor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;

/** Answers each frame with one of four bytes. */
final class FollowerStage extends Stage {
  private int came;
  private Outlet leader;

  FollowerStage(EventLoop loop) {
    super(loop);
  }

  @Override
  Peer accepted(Channel channel) {
    leader = new Outlet(channel);
    return this::entries;
  }

  @Override
  boolean servesClients() {
    return false;
  }

  private void entries(ByteBuf frame) {
    came++;
    leader.frame().writeInt(came);
    leader.flush();
  }

  @Override
  void endBatch() {
    throw new IllegalStateException("a follower asks for no end of a batch");
  }
}
