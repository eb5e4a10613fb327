package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Many sequences, and nearly as many open transactions as the limits allow by default. */
public final class LargeState {
  /** So many that their list takes several frames. */
  public static final int SEQUENCES = 150_000;

  /** As many sequences as the limits allow by default. */
  public static final int SEQUENCES_MAX = 1_000_000;

  public static final int TRANSACTIONS = 65_000;

  /** One that nobody has, so that nobody ends its transactions when it goes. */
  private static final long SESSION = Long.MAX_VALUE;

  /** Requests that are sent before their replies are read; they divide the others. */
  private static final int TOGETHER = 1_000;

  private static final List<String> KEYS = new ArrayList<>();

  private LargeState() {}

  private static synchronized List<String> keys(int sequences) {
    while (KEYS.size() < sequences) {
      KEYS.add("database.a_schema.a_sequence_with_an_ordinary_name_" + KEYS.size() + '\0');
    }
    return List.copyOf(KEYS.subList(0, sequences));
  }

  /**
   * Has a group's leader make it, so that it outlives the leader: what is not in the log is undone
   * where another member comes to lead.
   *
   * @param client whose transactions end with it
   */
  public static void request(RawClient client, int sequences) throws IOException {
    List<String> keys = keys(sequences);
    for (int from = 0; from < sequences; from += TOGETHER) {
      int to = Math.min(sequences, from + TOGETHER);
      call(
          client,
          keys.subList(from, to).stream().map(LargeState::creation).toList(),
          ResultType.SEQUENCE_INIT);
    }
    List<RequestFrame> begins =
        Collections.nCopies(
            TOGETHER, RequestFrame.command(MessageType.TXN_BEGIN_GETGXID_AUTOVACUUM).be32(1).u8(0));
    for (int i = 0; i < TRANSACTIONS; i += TOGETHER) {
      call(client, begins, ResultType.TXN_BEGIN_GETGXID_AUTOVACUUM);
    }
  }

  private static RequestFrame creation(String key) {
    return RequestFrame.command(MessageType.SEQUENCE_INIT)
        .key(key.substring(0, key.length() - 1))
        .le64(1)
        .le64(1)
        .le64(1_000_000)
        .le64(1)
        .u8(0);
  }

  private static void call(RawClient client, List<RequestFrame> requests, ResultType answered)
      throws IOException {
    client.send(requests.stream().map(RequestFrame::bytes).toArray(byte[][]::new));
    for (int i = 0; i < requests.size(); i++) {
      assertThat(client.read().result()).isEqualTo(answered);
    }
  }

  /** Fills the state of a node without a group. */
  public static void fill(GtmServer node, int sequences) {
    Await.until("the first entry", () -> hasStarted(node));
    node.withState(state -> fill(state, sequences));
  }

  private static boolean hasStarted(GtmServer node) {
    boolean[] started = {false};
    node.withState(state -> started[0] = state.started());
    return started[0];
  }

  private static void fill(GtmState state, int sequences) {
    state.beginEntry(state.changedMicros());
    for (String key : keys(sequences)) {
      accepted(state.apply(new SequenceCommand.Init(key, 1, 1, 1_000_000, 1, false)));
    }
    for (int i = 0; i < TRANSACTIONS; i++) {
      accepted(
          state.apply(
              new TransactionCommand.Begin(
                  SESSION, (short) i, Isolation.READ_COMMITTED, false, BeginKind.AUTOVACUUM)));
    }
  }

  private static void accepted(Reply reply) {
    if (reply instanceof Reply.Rejected rejected) {
      throw new AssertionError(rejected.message());
    }
  }
}
