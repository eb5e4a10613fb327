package io.mgtm.bench.floor;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Decodes requests, applies them to a state, and answers; what came in a batch goes to a follower
 * in one frame before. Nothing is stored, no session kept, no command known by a number: what any
 * group must do is left.
 */
final class LeaderStage extends Stage {
  private static final int REQUEST_BYTES_MAX = 1 << 20;
  private static final long FIRST_GXID = 10_000;

  private final GtmState state = new GtmState(FIRST_GXID);
  private final ReplyEncoder encoder = new ReplyEncoder();
  private final Map<Integer, RequestDecoder> decoders = new HashMap<>();
  private final Deque<ByteBuf> held = new ArrayDeque<>();
  private final boolean awaits;

  /** Null in a group of one. */
  private final Outlet follower;

  private Outlet proxy;
  private ByteBuf answers;
  private int client;

  /**
   * One that has no clients yet.
   *
   * @param follower null for none
   * @param awaits whether an answer leaves only when the follower has what came before it
   */
  LeaderStage(EventLoop loop, Channel follower, boolean awaits) {
    super(loop);
    this.follower = follower == null ? null : new Outlet(follower);
    this.awaits = awaits && follower != null;
    if (follower != null) {
      add(follower, this::followed, false);
    }
  }

  @Override
  Peer accepted(Channel channel) {
    proxy = new Outlet(channel);
    return this::requests;
  }

  @Override
  boolean servesClients() {
    return false;
  }

  private void requests(ByteBuf frame) {
    state.beginEntry(1);
    if (answers == null) {
      answers = frame.alloc().directBuffer();
    }
    while (frame.isReadable()) {
      client = frame.readInt();
      request(frame.readSlice(frame.readInt()));
    }
    askEnd();
  }

  private void request(ByteBuf request) {
    if (follower != null) {
      follower.frame().writeBytes(request, request.readerIndex(), request.readableBytes());
    }
    try {
      decoders
          .computeIfAbsent(client, number -> new RequestDecoder(REQUEST_BYTES_MAX, new Answering()))
          .decode(request);
    } catch (WireException e) {
      throw new IllegalStateException(e);
    }
  }

  private void followed(ByteBuf ignored) {
    if (awaits) {
      release();
      askEnd();
    }
  }

  private void release() {
    ByteBuf ready = held.removeFirst();
    proxy.frame().writeBytes(ready);
    ready.release();
  }

  @Override
  void endBatch() {
    if (answers != null) {
      held.addLast(answers);
      answers = null;
      if (!awaits) {
        release();
      }
    }
    if (follower != null) {
      follower.flush();
    }
    if (proxy != null) {
      proxy.flush();
    }
  }

  /** Puts the answer to a request of {@link #client} to the others of the batch. */
  private final class Answering implements RequestHandler {
    @Override
    public void startup(Startup startup) {
      state.apply(
          new SessionCommand.OpenSession(
              client, startup.nodeName(), startup.nodeType(), startup.postmaster()));
      int at = begin();
      encoder.startupAccepted(answers);
      end(at);
    }

    @Override
    public void command(MessageType type, short backend, Command command) {
      int at = begin();
      encoder.encode(answers, false, backend, state.apply(command));
      end(at);
    }

    @Override
    public void refused(MessageType type, short backend, String message, String hint) {
      int at = begin();
      encoder.error(answers, false, backend, false, message, hint);
      end(at);
    }

    @Override
    public void terminate() {
      decoders.remove(client);
    }

    private int begin() {
      answers.writeInt(client).writeInt(0);
      return answers.writerIndex();
    }

    private void end(int at) {
      answers.setInt(at - Integer.BYTES, answers.writerIndex() - at);
    }
  }
}
