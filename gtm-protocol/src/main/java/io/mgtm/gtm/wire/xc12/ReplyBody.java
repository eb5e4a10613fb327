package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.wire.WireException;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * The body of a reply: how a client reads it, and how a server writes it, at once or, where it
 * lists, in pieces.
 *
 * @param list null for one that lists nothing
 * @param <R> the reply that it carries
 */
record ReplyBody<R extends Reply>(
    Reader<R> reader, BiConsumer<FrameWriter, R> writer, Items<R, ?> list) {

  /** Reads the fields of a frame, but not that it ends behind them. */
  interface Reader<R> {
    /**
     * Reads a reply.
     *
     * @throws WireException when a field is not as the protocol has it
     */
    R read(FrameReader in) throws WireException;
  }

  /**
   * What a reply lists.
   *
   * @param headBytes what {@link ReplyBody#writer} writes before the items
   * @param bytes what all items take
   */
  record Items<R, T>(
      int headBytes,
      Function<R, List<T>> of,
      ToLongFunction<R> bytes,
      BiConsumer<FrameWriter, T> put) {}

  ReplyBody(Reader<R> reader, BiConsumer<FrameWriter, R> writer) {
    this(reader, writer, null);
  }

  /** A count and the items. */
  static <R extends Reply, T> ReplyBody<R> counted(
      Reader<R> reader,
      Function<R, List<T>> of,
      ToLongFunction<R> bytes,
      BiConsumer<FrameWriter, T> put) {
    return new ReplyBody<>(
        reader,
        (out, r) -> out.putInt(of.apply(r).size()),
        new Items<>(Integer.BYTES, of, bytes, put));
  }
}
