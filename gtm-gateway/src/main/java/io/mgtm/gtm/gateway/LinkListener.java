package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;

/** What a {@link Link} tells, on the gateway's event loop; never from within a call to the link. */
public interface LinkListener {

  /** How the node stands now; first of all. */
  void leadership(Leadership leadership);

  /** A session is attached. */
  void attached(long session, long last);

  /**
   * The node refuses.
   *
   * @param session the session meant, 0 for the whole link
   */
  void refused(long session, RefusalCode code, String message, String hint);

  /**
   * One reply; those of a session come in the order of its numbers.
   *
   * @param close whether the client's connection is to be closed after it
   * @param bytes as an XC client reads it, empty for a command without a reply; valid during the
   *     call
   */
  void reply(long session, long number, boolean close, ByteBuf bytes);

  /**
   * One reply that comes in pieces; it has its place in the order of the others.
   *
   * @param id by which they are asked for, on this link
   * @param bytes of them all
   */
  default void pieces(long session, long number, long id, long bytes) {}

  /**
   * A piece that was asked for.
   *
   * @param bytes empty when there is no such reply any more; valid during the call
   */
  default void piece(long id, ByteBuf bytes) {}

  /**
   * One end could not read what the other sent; {@link #closed} follows. What was sent would do it
   * again.
   */
  default void garbled() {}

  /** What the replies that come next rest on, in mode lazy. */
  default void entries(LinkEntries entries) {}

  /** The answer to a ping. */
  void pong(long nonce);

  /**
   * The link has ended. Comes once, and nothing after it.
   *
   * @param why a part of a sentence
   */
  void closed(String why);
}
