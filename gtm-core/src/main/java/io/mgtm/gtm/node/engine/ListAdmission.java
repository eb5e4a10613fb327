package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.state.GtmState;
import io.mgtm.gtm.wire.xc12.ListReply;

/**
 * Bounds the long lists that are under way to clients, each of which keeps what it lists until it
 * is taken. Who comes when there is no room is told to come again. Owner thread.
 */
public final class ListAdmission {
  /** A list up to this is written at once, as any other reply. */
  public static final int SHORT_BYTES = 64 * 1024;

  /** A list of fewer items is not counted before it is made. */
  private static final int SHORT_ITEMS = 512;

  private static final int LISTS_MAX = 8;

  /** Together; a list that is alone may have more. */
  private static final long ITEMS_MAX = 3_000_000;

  private int lists;
  private long items;

  /** What a query is answered, or why it is not now: a list is refused before it costs anything. */
  Reply answer(Command query, GtmState state) {
    return mayBegin(items(query, state)) ? state.apply(query) : refusal();
  }

  private static int items(Command query, GtmState state) {
    GtmState.Counts counts = state.counts();
    return switch (query.type()) {
      case LIST_SEQUENCES -> counts.sequences();
      case LIST_TRANSACTIONS -> counts.transactions();
      case LIST_PREPARED -> counts.prepared();
      case LIST_NODES -> counts.nodes();
      default -> 0;
    };
  }

  private boolean mayBegin(long more) {
    return more < SHORT_ITEMS || (lists < LISTS_MAX && (lists == 0 || items + more <= ITEMS_MAX));
  }

  private Reply.Rejected refusal() {
    return new Reply.Rejected(
        Reply.Reason.BAD_STATE,
        "other clients are being sent long lists: %d of them, with %d items"
            .formatted(lists, items),
        "Ask again in a moment.");
  }

  /** Lets a long list begin: null, or the error that its client gets instead. */
  Reply.Rejected begin(ListReply list) {
    if (list.bytes() > Integer.MAX_VALUE) {
      return new Reply.Rejected(
          Reply.Reason.BAD_STATE,
          "the list takes %d bytes, and the protocol has room for %d"
              .formatted(list.bytes(), Integer.MAX_VALUE),
          "Ask for single sequences or transactions.");
    }
    if (!mayBegin(Math.max(SHORT_ITEMS, list.items()))) {
      return refusal();
    }
    lists++;
    items += list.items();
    return null;
  }

  /** A list that began is sent, or given up. */
  void end(ListReply list) {
    lists--;
    items -= list.items();
  }
}
