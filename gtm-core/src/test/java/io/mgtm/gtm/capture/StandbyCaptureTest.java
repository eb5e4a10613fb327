package io.mgtm.gtm.capture;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Outcome;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.SnapshotCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.command.TransactionRef;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.ReplyEncoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The lists that a standby of the original asked for, made from a state like the recorded one,
 * agree with the recording in everything that has a meaning here.
 */
class StandbyCaptureTest {
  private static final int TXN_GXID_LIST = 21;
  private static final int SEQUENCE_LIST = 33;

  /**
   * In the body of a transaction list, from the frame's first byte: limits that the original never
   * sets.
   */
  private static final int LIMITS_AT = 13 + 12;

  private static final int LIMITS_BYTES = 20;
  private static final int COUNTERS_BYTES = 48;
  private static final int TRANSACTION_AT = 13 + COUNTERS_BYTES + Long.BYTES;

  private final GtmState state = new GtmState(10_000);
  private final ByteBuf out = Unpooled.buffer();

  private Reply apply(Command command) {
    state.beginEntry(0);
    return state.apply(command);
  }

  private byte[] encoded(Command command) {
    out.clear();
    new ReplyEncoder().encode(out, false, Command.NO_BACKEND, apply(command));
    return ByteBufUtil.getBytes(out);
  }

  private static byte[] recorded(int resultType) throws Exception {
    return Capture.read("standby-gtm").stream()
        .map(Capture.Exchange::reply)
        .filter(r -> r != null && r[0] == 'S' && ByteBuffer.wrap(r).getInt(5) == resultType)
        .findFirst()
        .orElseThrow();
  }

  private void begin() {
    apply(
        new TransactionCommand.Begin(
            1, Command.NO_BACKEND, Isolation.READ_COMMITTED, false, BeginKind.GXID));
  }

  /** Behind type, length, result and count. */
  private static final int ITEMS_AT = 1 + 3 * Integer.BYTES;

  @Test
  void thePreparedTransactionIsSerializedAsTheOriginalDoes() throws Exception {
    byte[] original = recorded(TXN_GXID_LIST);
    int next = Integer.reverseBytes(ByteBuffer.wrap(original).getInt(13 + 8));
    int gxid = Integer.reverseBytes(ByteBuffer.wrap(original).getInt(TRANSACTION_AT + 13));
    for (int i = 10_000; i < next; i++) {
      begin();
    }
    TransactionRef prepared = TransactionRef.gxid(gxid);
    apply(new TransactionCommand.End(TransactionRef.gxid(gxid - 1), Outcome.COMMIT));
    for (int i = 10_000; i < next; i++) {
      if (i != gxid && i != gxid - 1) {
        apply(new TransactionCommand.End(TransactionRef.gxid(i), Outcome.COMMIT));
      }
    }
    apply(new SnapshotCommand.GetSnapshot(prepared));
    apply(new TransactionCommand.StartPrepare(prepared, "p3", "d1,d2,c1"));
    apply(new TransactionCommand.Prepare(prepared));
    byte[] ours = encoded(new TransactionCommand.ListTransactions());

    assertThat(ours).hasSameSizeAs(original);
    for (byte[] frame : List.of(ours, original)) {
      // The wraparound limits, which the original never sets, up to recent global xmin and last
      // slot.
      Arrays.fill(frame, LIMITS_AT, LIMITS_AT + LIMITS_BYTES, (byte) 0);
      Arrays.fill(frame, 13 + 32, 13 + 44, (byte) 0);
      // Handle and thread id.
      Arrays.fill(frame, TRANSACTION_AT, TRANSACTION_AT + 12, (byte) 0);
      // The cached snapshot, between the GID and the two flags at the end.
      Arrays.fill(frame, frame.length - 18, frame.length - 2, (byte) 0);
    }
    assertThat(ours).isEqualTo(original);
  }

  @Test
  void sequencesAreSerializedAsTheOriginalDoes() throws Exception {
    apply(new SequenceCommand.Init("bench.public.sq\0", -2, -100, 10, 10, false));
    apply(new SequenceCommand.NextValue("bench.public.sq\0"));
    apply(
        new SequenceCommand.Init("bench.public.t_s_seq\0", 1, 1, SequenceCommand.UNSET, 1, false));
    apply(
        new SequenceCommand.Alter(
            "bench.public.t_s_seq\0", 1, 1, Long.MAX_VALUE, 1, 1, false, false));
    for (int i = 0; i < 500; i++) {
      apply(new SequenceCommand.NextValue("bench.public.t_s_seq\0"));
    }
    byte[] ours = encoded(new SequenceCommand.ListAll());
    byte[] original = recorded(SEQUENCE_LIST);
    assertThat(Arrays.copyOf(ours, ITEMS_AT)).isEqualTo(Arrays.copyOf(original, ITEMS_AT));
    // The original lists them in the order of its hash table.
    assertThat(items(ours)).isEqualTo(items(original));
  }

  private static Set<ByteBuffer> items(byte[] frame) {
    ByteBuffer from = ByteBuffer.wrap(frame).position(ITEMS_AT);
    Set<ByteBuffer> items = new HashSet<>();
    while (from.hasRemaining()) {
      int bytes = from.getInt();
      items.add(from.slice(from.position(), bytes));
      from.position(from.position() + bytes);
    }
    return items;
  }
}
