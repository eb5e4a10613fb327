package io.mgtm.gtm.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.gtm.wire.xc12.MessageType;
import io.mgtm.gtm.wire.xc12.RawClient;
import io.mgtm.gtm.wire.xc12.RequestFrame;
import io.mgtm.gtm.wire.xc12.ResultType;
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

  /** Requests that are sent before their replies are read; they divide the others. */
  private static final int TOGETHER = 1_000;

  private static final List<String> KEYS = new ArrayList<>();

  private LargeState() {}

  private static synchronized List<String> keys(int sequences) {
    while (KEYS.size() < sequences) {
      KEYS.add("database.a_schema.a_sequence_with_an_ordinary_name_" + KEYS.size());
    }
    return List.copyOf(KEYS.subList(0, sequences));
  }

  /**
   * Has a node make it; of a group, the leader.
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
        .key(key)
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
}
