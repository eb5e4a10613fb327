package io.mgtm.gtm.node.engine;

import io.mgtm.gtm.command.GatewayKind;
import io.mgtm.gtm.wire.link.Leadership;
import io.netty.buffer.ByteBuf;

/**
 * A gateway's link as the engine sees it: a connection, or the node's own gateway. Owner thread.
 */
public interface GatewayPeer {

  /** The gateway's name. */
  String gateway();

  GatewayKind kind();

  /** The version of the link's protocol that the gateway speaks. */
  int version();

  /** Whether it is the gateway within this node, which ends when the node does. */
  default boolean isOwn() {
    return false;
  }

  /** Whether the gateway can still be told anything. */
  default boolean isOpen() {
    return true;
  }

  /** A buffer for frames. */
  ByteBuf newBuffer();

  /**
   * Sends frames with the next {@link #flush}.
   *
   * @param frames given away
   */
  void write(ByteBuf frames);

  /** Lets leave what was written. */
  void flush();

  /** Closes the link at once: what was written since the last flush does not leave. */
  void abort();

  /**
   * Frames of {@code bytes} wait for the log ({@code bytes} positive) or no longer do (negative).
   */
  void held(int bytes);

  /**
   * Whether commands of its gateway may be done: not too much waits for the log or for the socket.
   * The engine is told by {@link CommandEngine#resume} when it takes more again.
   */
  boolean takesMore();

  /** Tells how this node stands now, at once. */
  void leadership(Leadership leadership);

  /** Closes the link after what was written. */
  void disconnect();

  /** The gateway, and where it is. */
  String describe();
}
