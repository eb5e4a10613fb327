package io.mgtm.gtm.capture;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.SessionCommand;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.mgtm.gtm.wire.xc12.RequestDecoder;
import io.mgtm.gtm.wire.xc12.RequestHandler;
import io.mgtm.gtm.wire.xc12.Startup;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;

/**
 * Wire codec and state without sockets or log: one frame in, its answer out; a step can be undone.
 */
final class StateUnderTest {
  private static final int FRAME_BYTES_MAX = 65_536;

  private final Map<Integer, Decoding> connections = new HashMap<>();
  private final ReplyEncoder encoder = new ReplyEncoder();
  private GtmState state;

  StateUnderTest(long firstGxid) {
    state = new GtmState(firstGxid);
  }

  byte[] save() {
    return CheckpointEncoder.encode(state);
  }

  void restore(byte[] saved) {
    state = CheckpointDecoder.decode(ByteBuffer.wrap(saved));
  }

  boolean proxied(int conn) {
    return connections.get(conn).decoder.proxied();
  }

  /** The answer to a frame of a connection, or no bytes. */
  byte[] ask(int conn, byte[] frame) throws WireException {
    Decoding decoding = connections.computeIfAbsent(conn, Decoding::new);
    decoding.answer.clear();
    decoding.decoder.decode(Unpooled.wrappedBuffer(frame));
    return ByteBufUtil.getBytes(decoding.answer);
  }

  /** A connection: applies what it decodes at once. */
  private final class Decoding implements RequestHandler {
    private final int conn;
    private final RequestDecoder decoder = new RequestDecoder(FRAME_BYTES_MAX, this);
    private final ByteBuf answer = Unpooled.buffer();

    Decoding(int conn) {
      this.conn = conn;
      decoder.session(conn);
    }

    @Override
    public void startup(Startup startup) {
      state.beginEntry(0);
      state.apply(
          new SessionCommand.OpenSession(
              conn, startup.nodeName(), startup.nodeType(), startup.postmaster()));
      encoder.startupAccepted(answer);
    }

    @Override
    public void command(MessageType type, short backend, Command command) {
      state.beginEntry(0);
      encoder.encode(answer, decoder.proxied(), backend, state.apply(command));
    }

    @Override
    public void refused(MessageType type, short backend, String message, String hint) {
      encoder.error(answer, decoder.proxied(), backend, false, message, hint);
    }

    @Override
    public void terminate() {
      state.beginEntry(0);
      state.apply(new SessionCommand.CloseSession(conn));
    }
  }
}
