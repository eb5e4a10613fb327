package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.wire.xc12.ListReply;
import io.netty.buffer.ByteBuf;

/** A connection as the engine sees it. The engine calls it on the owner thread only. */
public interface Client {

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

  /** A long list is its next reply: it is served nothing more before that has left. */
  void listBegins();

  /**
   * Sends the list that has begun, in pieces as the socket takes them.
   *
   * @param done to be called once, when it has left or never will
   */
  void list(ListReply list, Runnable done);

  /**
   * Replies of {@code bytes} wait for the log ({@code bytes} positive) or no longer do (negative).
   */
  void held(int bytes);
}
