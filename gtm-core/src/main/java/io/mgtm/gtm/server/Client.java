package io.mgtm.gtm.server;

import io.netty.buffer.ByteBuf;

/** A connection as the engine sees it. The engine calls it on the owner thread only. */
interface Client {

  /** The session that its commands are for. */
  long session();

  /** Whether replies carry a proxy's connection numbers. */
  boolean proxied();

  /** A buffer for replies. */
  ByteBuf newBuffer();

  /**
   * Sends replies.
   *
   * @param replies given away
   * @param close whether nothing comes after them
   */
  void send(ByteBuf replies, boolean close);

  /**
   * Replies of {@code bytes} wait for the log ({@code bytes} positive) or no longer do (negative).
   */
  void held(int bytes);
}
