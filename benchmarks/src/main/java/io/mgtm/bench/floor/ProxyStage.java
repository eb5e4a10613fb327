package io.mgtm.bench.floor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * Passes requests on and answers back.
 *
 * <pre>
 * in a frame, again and again: client (int) | length (int) | request or answer
 * </pre>
 */
final class ProxyStage extends Stage {
  private final Outlet leader;
  private final List<Channel> clients = new ArrayList<>();

  /** Whose answers came in this batch, and those answers. */
  private final List<Channel> answered = new ArrayList<>();

  private final List<ByteBuf> answers = new ArrayList<>();

  ProxyStage(EventLoop loop, Channel leader) {
    super(loop);
    this.leader = new Outlet(leader);
    add(leader, this::answers, false);
  }

  @Override
  Peer accepted(Channel channel) {
    int number = clients.size();
    clients.add(channel);
    return request -> {
      leader.frame().writeInt(number).writeInt(request.readableBytes()).writeBytes(request);
      askEnd();
    };
  }

  @Override
  boolean servesClients() {
    return true;
  }

  private void answers(ByteBuf frame) {
    while (frame.isReadable()) {
      answered.add(clients.get(frame.readInt()));
      answers.add(frame.readRetainedSlice(frame.readInt()));
    }
    askEnd();
  }

  @Override
  void endBatch() {
    leader.flush();
    for (int i = 0; i < answers.size(); i++) {
      Channel client = answered.get(i);
      client.writeAndFlush(answers.get(i), client.voidPromise());
    }
    answers.clear();
    answered.clear();
  }
}
