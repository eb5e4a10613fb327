package io.mgtm.gtm.wire.xc12;

import io.mgtm.gtm.command.Reply;
import io.netty.buffer.ByteBuf;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * A reply that lists: one frame, however long, that is written in pieces as somebody takes them.
 * What it lists is what the state held when the reply was made. One thread at a time.
 */
public final class ListReply {
  private final ResultType type;
  private final Reply reply;
  private final List<?> items;
  private final BiConsumer<FrameWriter, Object> put;
  private final boolean proxied;
  private final short backend;
  private final long bytes;
  private final FrameWriter writer = new FrameWriter();
  private boolean begun;
  private int next;

  @SuppressWarnings("unchecked") // Items put what they list.
  private ListReply(
      ResultType type,
      Reply reply,
      ReplyBody.Items<Reply, ?> listed,
      boolean proxied,
      short backend) {
    this.type = type;
    this.reply = reply;
    this.items = listed.of().apply(reply);
    this.put = (BiConsumer<FrameWriter, Object>) listed.put();
    this.proxied = proxied;
    this.backend = backend;
    this.bytes =
        FrameLimits.HEADER_BYTES
            + Integer.BYTES
            + (proxied ? Short.BYTES : 0)
            + listed.headBytes()
            + listed.bytes().applyAsLong(reply);
  }

  /**
   * The list that a reply is, or null for one that lists nothing.
   *
   * @param proxied whether the peer is a proxy, so that {@code backend} is written
   */
  public static ListReply of(boolean proxied, short backend, Reply reply) {
    if (reply instanceof Reply.Rejected || reply instanceof Reply.None) {
      return null;
    }
    ResultType type = ReplyEncoder.typeOf(reply);
    ReplyBody.Items<Reply, ?> listed = type.body().list();
    return listed == null ? null : new ListReply(type, reply, listed, proxied, backend);
  }

  /** What the whole frame takes; the protocol has room for {@link Integer#MAX_VALUE}. */
  public long bytes() {
    return bytes;
  }

  /** How many it lists. */
  public int items() {
    return items.size();
  }

  /** Whether all is written. */
  public boolean isDone() {
    return begun && next == items.size();
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
      writer.beginSuccess(out, type, proxied, backend);
      out.setInt(start + 1, Math.toIntExact(bytes - 1));
      type.body().writer().accept(writer, reply);
    }
    while (!isDone() && out.writerIndex() - start < bytesMax) {
      put.accept(writer, items.get(next++));
    }
  }
}
