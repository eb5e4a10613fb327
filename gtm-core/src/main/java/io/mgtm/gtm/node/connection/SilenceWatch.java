package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.wire.link.LinkFormat;
import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;

/**
 * Finds out that a gateway says nothing any more though its link is read: its process hangs, or the
 * line is cut. The kernel of a process that hangs keeps the connection alive, and with it the
 * gateway's name. A node that stood still itself looks some times more before it believes it. Event
 * loop.
 */
final class SilenceWatch {
  /** Looks without a sign of life, {@link LinkFormat#BEAT_MS} apart. */
  static final int LOOKS = 4;

  private final Channel channel;
  private final Runnable silent;
  private boolean heard;
  private int looks;

  /**
   * A watch that has not begun.
   *
   * @param silent called once, when the gateway is silent; it closes the link
   */
  SilenceWatch(Channel channel, Runnable silent) {
    this.channel = channel;
    this.silent = silent;
  }

  void begin() {
    channel.eventLoop().schedule(this::look, LinkFormat.BEAT_MS, TimeUnit.MILLISECONDS);
  }

  /** Something came. */
  void heard() {
    heard = true;
  }

  private void look() {
    if (!channel.isActive()) {
      return;
    }
    looks = heard || !channel.config().isAutoRead() ? 0 : looks + 1;
    heard = false;
    if (looks < LOOKS) {
      begin();
    } else {
      silent.run();
    }
  }
}
