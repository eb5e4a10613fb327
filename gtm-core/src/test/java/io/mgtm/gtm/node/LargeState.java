package io.mgtm.gtm.node;

import io.mgtm.gtm.command.Isolation;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceCommand;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionCommand.BeginKind;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.testing.Await;
import java.util.ArrayList;
import java.util.List;

/** Many sequences, and nearly as many open transactions as the limits allow by default. */
public final class LargeState {
  /** So many that their list takes several frames. */
  public static final int SEQUENCES = 150_000;

  /** As many sequences as the limits allow by default. */
  public static final int SEQUENCES_MAX = 1_000_000;

  public static final int TRANSACTIONS = 65_000;

  /**
   * One that no gateway has, so that none ends its transactions when it goes, or follows another
   * leader.
   */
  private static final long SESSION = Long.MAX_VALUE;

  private static final List<String> KEYS = new ArrayList<>();

  private LargeState() {}

  /** The keys, which the states of several members share. */
  private static synchronized List<String> keys(int sequences) {
    while (KEYS.size() < sequences) {
      KEYS.add("database.a_schema.a_sequence_with_an_ordinary_name_" + KEYS.size() + '\0');
    }
    return List.copyOf(KEYS.subList(0, sequences));
  }

  /** Fills the state of a node; members that are given the same at the same place stay alike. */
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
