package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.link.LinkEntries;
import io.netty.buffer.ByteBuf;

/**
 * A way to one node of the group: a connection, or a node in the same process. What is sent before
 * the node has told its leadership, or after the link has closed, is lost.
 */
public interface Link {

  /**
   * Asks to go on with a session, or to open it; {@link LinkListener#attached} or {@link
   * LinkListener#refused} comes.
   *
   * @param fresh whether no command was ever sent in it
   * @param acked the gateway has the replies up to this number
   * @param proxied whether replies carry backend numbers
   */
  void attach(long session, boolean fresh, long acked, boolean proxied);

  /**
   * Sends commands of an attached session.
   *
   * @param acked the gateway has the replies up to this number
   * @param first the number of the first one; the others follow
   * @param count how many there are
   * @param commands {@code backend:i16} and the command for each; read during the call
   */
  void commands(long session, long acked, long first, int count, ByteBuf commands);

  /**
   * Presents entries that a leader before had given to keep; before {@link #attach}.
   *
   * @param entries they fit a frame
   */
  void present(LinkEntries entries);

  /**
   * Asks for the next piece of a long reply; {@link LinkListener#piece} comes.
   *
   * @param more false to give it up instead: nothing comes
   */
  void pull(long id, boolean more);

  /** Ends a session. */
  void closeSession(long session);

  /** Asks for a sign of life. */
  void ping(long nonce);

  /** Lets everything leave that was sent so far. */
  void flush();

  /** Ends the link; {@link LinkListener#closed} comes unless it has. */
  void close();
}
