package io.mgtm.rdma;

import io.mgtm.flash.AlignedBuffer;

/** Told of what happens on a channel, on its thread, inside its await or poll. */
public interface RdmaChannelHandler {

  /**
   * A message is there. The buffer is the channel's: who wants it longer than this call retains it,
   * and the peer gets its credit back when it is released.
   *
   * @param buffer holds the message from its start
   * @param length the message's length in bytes
   */
  void message(AlignedBuffer buffer, int length);

  /**
   * The peer wrote into this side's memory.
   *
   * @param value the number that it gave, from 0 to {@link RdmaChannel#VALUE_MAX}
   * @param length how many bytes it wrote
   */
  void written(int value, int length);

  /**
   * A message or write of this side is with the peer, or failed; its buffer may be used again.
   *
   * @param tag what it was given
   * @param error {@code null}, or why it failed, after which nothing more is sent or received
   */
  void sent(long tag, RdmaException error);
}
