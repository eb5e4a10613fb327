package io.mgtm.gtm.gateway;

import io.mgtm.gtm.wire.WireException;
import io.mgtm.gtm.wire.link.Leadership;
import io.mgtm.gtm.wire.link.LinkEntries;
import io.mgtm.gtm.wire.link.NodeFrameHandler;
import io.mgtm.gtm.wire.link.RefusalCode;
import io.netty.buffer.ByteBuf;

/**
 * What a {@link Link} tells, on the gateway's event loop; never from within a call to the link. The
 * node's leadership comes first of all.
 */
public interface LinkListener extends NodeFrameHandler {

  @Override
  void leadership(Leadership leadership);

  @Override
  void attached(long session, long last);

  @Override
  void refused(long session, RefusalCode code, String message, String hint);

  @Override
  void reply(long session, long number, boolean close, ByteBuf bytes);

  @Override
  default void pieces(long session, long number, long id, long bytes) {}

  @Override
  default void piece(long id, ByteBuf bytes) {}

  @Override
  default void entries(LinkEntries entries) {}

  @Override
  void pong(long nonce);

  /** Answered by the link itself, where it may come. */
  @Override
  default void challenge(byte[] nonce) throws WireException {
    throw new WireException("it asks for a secret, which it must not here");
  }

  /**
   * One end could not read what the other sent; {@link #closed} follows. What was sent would do it
   * again.
   */
  default void garbled() {}

  /**
   * The link has ended. Comes once, and nothing after it.
   *
   * @param why a part of a sentence
   */
  void closed(String why);
}
