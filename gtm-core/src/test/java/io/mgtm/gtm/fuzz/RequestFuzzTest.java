package io.mgtm.gtm.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.command.Effect;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.state.CheckpointDecoder;
import io.mgtm.gtm.state.CheckpointEncoder;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.xc12.RecordedRequests;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Whatever a client sends after its startup packet: it is decoded or refused, the same in one piece
 * as in two; what was decoded fits the log, and the state answers it without an exception. The
 * first byte says what kind of peer it is.
 */
class RequestFuzzTest {
  private static final int NODE_TYPES = 6;

  @FuzzTest(maxDuration = "2m")
  void aClientsBytes(byte[] data) throws WireException {
    if (data.length == 0) {
      return;
    }
    int nodeType = 1 + (data[0] & 0xff) % NODE_TYPES;
    byte[] stream = Arrays.copyOfRange(data, 1, data.length);
    RecordedRequests whole = RecordedRequests.startedBy(nodeType);
    boolean broken = breaks(whole, stream, 0, stream.length);
    RecordedRequests split = RecordedRequests.startedBy(nodeType);
    int at = stream.length / 2;
    boolean brokenToo = breaks(split, stream, 0, at) || breaks(split, stream, at, stream.length);
    assertThat(split.events).isEqualTo(whole.events);
    assertThat(brokenToo).isEqualTo(broken);
    List<Object> commands = whole.commands();
    fitTheLog(commands, stream.length);
    answer(commands);
  }

  private static boolean breaks(RecordedRequests requests, byte[] bytes, int from, int to) {
    try {
      requests.feed(bytes, from, to);
      return false;
    } catch (WireException e) {
      assertThat(e.getMessage()).isNotEmpty();
      return true;
    }
  }

  /** The server counts on it that commands take no more than twice their frames in the log. */
  private static void fitTheLog(List<Object> commands, int streamBytes) {
    ByteBuffer log = ByteBuffer.allocate(2 * streamBytes);
    for (Object each : commands) {
      Command command = (Command) each;
      if (!command.type().query()) {
        int start = log.position();
        CommandCodec.encodeLogged(command, log);
        ByteBuffer written = log.duplicate().position(start).limit(log.position());
        assertThat(CommandCodec.decodeLogged(written)).isEqualTo(command);
      }
    }
  }

  private static void answer(List<Object> commands) {
    GtmState state = new GtmState(0xffff_fff0L);
    GtmState replayed = new GtmState(0xffff_fff0L);
    ReplyEncoder encoder = new ReplyEncoder();
    ByteBuf out = Unpooled.buffer();
    for (Object each : commands) {
      state.beginEntry(1);
      Reply reply = state.apply((Command) each);
      encoder.encode(out, true, (short) 1, reply);
      if (state.effect() != Effect.NONE) {
        replayed.beginEntry(1);
        assertThat(replayed.apply((Command) each)).isNotInstanceOf(Reply.Rejected.class);
      }
    }
    byte[] checkpoint = CheckpointEncoder.encode(state);
    GtmState restored = CheckpointDecoder.decode(ByteBuffer.wrap(checkpoint));
    assertThat(restored.counts()).isEqualTo(state.counts());
    assertThat(replayed.counts()).isEqualTo(state.counts());
    out.release();
  }
}
