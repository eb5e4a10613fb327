package io.mgtm.gtm.gateway;

import io.netty.buffer.ByteBuf;

/** Who waits for the reply to a command. */
interface ReplyTarget {

  /**
   * The reply, once.
   *
   * @param close whether the client is to be closed after it
   * @param bytes what the client reads, empty for a command without a reply; valid during the call
   */
  void reply(boolean close, ByteBuf bytes);

  /** The reply is long, and whoever waits for it {@link PulledReply#takenBy takes it in pieces}. */
  default void pieces(PulledReply reply) {
    throw new IllegalStateException("a long reply to what asks for no list");
  }

  /** There will be no reply, and it is not known whether the command was executed. */
  void lost(String message, String hint);
}
