package io.mgtm.gtm.node.connection;

import io.mgtm.gtm.wire.xc12.ListReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.Executor;

/**
 * Sends a long list to a client: as its socket takes it, and one piece a task, so that others are
 * served between them. Owner thread.
 */
final class ListPump {
  /** A piece, about. */
  private static final int PIECE_BYTES = 128 * 1024;

  private final Executor owner;
  private final Runnable changed;
  private ChannelHandlerContext context;
  private boolean awaited;
  private boolean asked;
  private ListReply list;
  private Runnable done;

  /**
   * @param changed told when it has become busy or has ended
   */
  ListPump(Executor owner, Runnable changed) {
    this.owner = owner;
    this.changed = changed;
  }

  /** Where it sends to; before the first list. */
  void sendsTo(ChannelHandlerContext to) {
    context = to;
  }

  /** Whether a list is on its way, or about to be: nothing else is answered meanwhile. */
  boolean isBusy() {
    return awaited;
  }

  /** A list will come once the log covers what it shows. */
  void await() {
    awaited = true;
    changed.run();
  }

  /**
   * The list may leave.
   *
   * @param whenDone run when all of it was written, or it is dropped
   */
  void begin(ListReply of, Runnable whenDone) {
    list = of;
    done = whenDone;
    goOn();
  }

  /** The socket may take more. */
  void goOn() {
    if (list != null && !asked) {
      asked = true;
      owner.execute(this::piece);
    }
  }

  private void piece() {
    asked = false;
    if (list == null || !context.channel().isWritable()) {
      return; // Once it is writable, goOn is called again.
    }
    ByteBuf piece = PooledByteBufAllocator.DEFAULT.directBuffer(PIECE_BYTES + PIECE_BYTES / 16);
    list.write(piece, PIECE_BYTES);
    context.writeAndFlush(piece, context.voidPromise());
    if (list.isDone()) {
      end();
    } else {
      goOn();
    }
  }

  /** The client has gone: what is left is dropped. */
  void drop() {
    if (list != null) {
      end();
    }
  }

  private void end() {
    list = null;
    awaited = false;
    done.run();
    changed.run();
  }
}
