package io.mgtm.gtm.wire.link;

import io.mgtm.gtm.wire.WireException;
import io.netty.buffer.ByteBuf;

/** What a node sends, in its order; called by the thread that decodes. */
public interface NodeFrameHandler {

  /** The gateway has to show that it knows the secret. */
  void challenge(byte[] nonce) throws WireException;

  /** How the node stands now. */
  void leadership(Leadership leadership) throws WireException;

  /**
   * A session is attached.
   *
   * @param last the highest number of a command that had an effect
   */
  default void attached(long session, long last) throws WireException {
    throw new WireException("it attached a session that nobody asked for");
  }

  /**
   * The node refuses.
   *
   * @param session the session meant, 0 for the whole link
   */
  void refused(long session, RefusalCode code, String message, String hint) throws WireException;

  /**
   * One reply; those of a session come in the order of its numbers.
   *
   * @param close whether the client's connection is to be closed after it
   * @param bytes the reply as an XC client reads it, empty for a command that has none; valid
   *     during the call unless retained
   */
  default void reply(long session, long number, boolean close, ByteBuf bytes) throws WireException {
    throw new WireException("it answered a command that nobody sent");
  }

  /**
   * One reply that comes in pieces; it has its place in the order of the others, the pieces have
   * none.
   *
   * @param id by which they are asked for on this link
   * @param bytes of them all
   */
  default void pieces(long session, long number, long id, long bytes) throws WireException {
    throw new WireException("REPLIES: a reply in pieces, which nobody here takes");
  }

  /**
   * A piece that was asked for.
   *
   * @param bytes empty when there is no such reply any more; valid during the call
   */
  default void piece(long id, ByteBuf bytes) throws WireException {
    throw new WireException("PIECE: nobody asked for it");
  }

  /** The replies of one frame have been handed over. */
  default void repliesEnd() throws WireException {}

  /** What the replies that come next rest on, in mode lazy. */
  default void entries(LinkEntries entries) throws WireException {}

  /** The answer to a ping. */
  default void pong(long nonce) throws WireException {
    throw new WireException("it answered a ping that nobody sent");
  }

  /**
   * An answer, or a piece of it, to an operator's request.
   *
   * @param bytes valid during the call unless retained
   */
  default void adminReply(long id, AdminReplyKind kind, ByteBuf bytes) throws WireException {
    throw new WireException("it answers a request that was not made");
  }
}
