package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.BackupReply;
import io.mgtm.gtm.command.NodeReply;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.TransactionReply;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

/**
 * A reply that lists: one frame, however long, that is written in pieces as somebody takes them.
 * What it lists is what the state held when the reply was made. One thread at a time.
 */
public final class ListReply {
  private final Form<?> form;
  private final boolean proxied;
  private final short backend;
  private final long bytes;
  private final FrameWriter writer = new FrameWriter();
  private boolean begun;
  private int next;

  /**
   * How a list is written.
   *
   * @param headBytes what stands before its items, behind the result type and connection number
   * @param head writes that
   * @param itemsBytes what all items take
   */
  private record Form<T>(
      ResultType type,
      int headBytes,
      Consumer<FrameWriter> head,
      List<T> items,
      long itemsBytes,
      BiConsumer<FrameWriter, T> put) {

    static <T> Form<T> counted(
        ResultType type, List<T> items, long itemsBytes, BiConsumer<FrameWriter, T> put) {
      return new Form<>(
          type, Integer.BYTES, out -> out.putInt(items.size()), items, itemsBytes, put);
    }

    long bytes() {
      return headBytes + itemsBytes;
    }

    void put(FrameWriter out, int at) {
      put.accept(out, items.get(at));
    }
  }

  private ListReply(Form<?> form, boolean proxied, short backend) {
    this.form = form;
    this.proxied = proxied;
    this.backend = backend;
    this.bytes =
        FrameLimits.HEADER_BYTES + Integer.BYTES + (proxied ? Short.BYTES : 0) + form.bytes();
  }

  /**
   * The list that a reply is, or null for one that lists nothing.
   *
   * @param proxied whether the peer is a proxy, so that {@code backend} is written
   */
  public static ListReply of(boolean proxied, short backend, Reply reply) {
    Form<?> form = form(reply);
    return form == null ? null : new ListReply(form, proxied, backend);
  }

  private static Form<?> form(Reply reply) {
    if (reply instanceof SequenceReply.SequenceList r) {
      return Form.counted(
          ResultType.SEQUENCE_LIST,
          r.sequences(),
          r.sequences().size() * (long) (Integer.BYTES + Serialized.SEQUENCE_BYTES) + r.keyBytes(),
          Serialized::putSequence);
    } else if (reply instanceof TransactionReply.TransactionList r) {
      return new Form<>(
          ResultType.TXN_GXID_LIST,
          Integer.BYTES + Serialized.TRANSACTIONS_BYTES,
          out -> Serialized.putTransactions(out, r),
          r.transactions(),
          sum(r.transactions(), t -> Long.BYTES + Serialized.transactionBytes(t)),
          Serialized::putTransaction);
    } else if (reply instanceof TransactionReply.PreparedList r) {
      return Form.counted(
          ResultType.TXN_GET_ALL_PREPARED,
          r.transactions(),
          sum(
              r.transactions(),
              t -> TransactionReplies.PREPARED_BYTES_MIN + t.gid().length() + t.nodes().length()),
          (out, t) -> out.putHostInt(t.gxid()).putString(t.gid()).putString(t.nodes()));
    } else if (reply instanceof NodeReply.NodeList r) {
      return Form.counted(
          ResultType.NODE_LIST,
          r.nodes(),
          sum(r.nodes(), n -> Integer.BYTES + Serialized.nodeBytes(n)),
          Serialized::putNode);
    } else if (reply instanceof BackupReply.BarrierList r) {
      return Form.counted(
          ResultType.MGTM_BARRIER_LIST,
          r.barriers(),
          sum(r.barriers(), b -> ReplyDecoder.BARRIER_BYTES_MIN + b.id().length()),
          (out, b) -> out.putString(b.id()).putHostLong(b.nextGxid()).putHostLong(b.timeMicros()));
    }
    return null;
  }

  private static <T> long sum(List<T> items, ToIntFunction<T> bytes) {
    return items.stream().mapToLong(bytes::applyAsInt).sum();
  }

  /** What the whole frame takes; the protocol has room for {@link Integer#MAX_VALUE}. */
  public long bytes() {
    return bytes;
  }

  /** How many it lists. */
  public int items() {
    return form.items().size();
  }

  /** Whether all is written. */
  public boolean isDone() {
    return begun && next == form.items().size();
  }

  /**
   * Writes the next piece: as many items as begin within {@code bytesMax}, and at least one. Not to
   * be called for a list that is longer than the protocol allows.
   */
  public void write(ByteBuf out, int bytesMax) {
    int start = out.writerIndex();
    if (begun) {
      writer.goOn(out);
    } else {
      begun = true;
      writer.beginSuccess(out, form.type(), proxied, backend);
      out.setInt(start + 1, Math.toIntExact(bytes - 1));
      form.head().accept(writer);
    }
    while (!isDone() && out.writerIndex() - start < bytesMax) {
      form.put(writer, next++);
    }
  }
}
