package io.mgtm.gtm.gateway;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What goes to one client, in the order of its requests: replies of the GTM, and those that the
 * gateway gives itself, which wait until the GTM's to earlier requests have come.
 */
final class Replies {
  private static final int BUFFER_BYTES = 256;

  /** A reply of the gateway itself, due once {@code after} replies of the GTM have come. */
  private record Local(long after, ByteBuf bytes, boolean close) {}

  private final Runnable somethingToFlush;
  private final Deque<Local> locals = new ArrayDeque<>(2);
  private ByteBuf out;
  private boolean dirty;
  private boolean close;
  private boolean released;
  private long asked;
  private long answered;

  Replies(Runnable somethingToFlush) {
    this.somethingToFlush = somethingToFlush;
  }

  /** A command was submitted; its reply will come. */
  void await() {
    asked++;
  }

  /** How many replies have to come. */
  int awaited() {
    return (int) (asked - answered);
  }

  /** The next reply of the GTM; the bytes are copied. */
  void add(boolean andClose, ByteBuf bytes) {
    answered++;
    write(bytes, andClose);
    while (!locals.isEmpty() && locals.peekFirst().after() <= answered) {
      Local local = locals.removeFirst();
      write(local.bytes(), local.close());
      local.bytes().release();
    }
  }

  /** A piece of the next reply of the GTM, of which {@link #add} is to bring the last. */
  void addPiece(ByteBuf bytes) {
    write(bytes, false);
  }

  /** What waits to be sent. */
  int bytes() {
    return out == null ? 0 : out.readableBytes();
  }

  /** A buffer for {@link #addLocal}. */
  ByteBuf newLocal() {
    return PooledByteBufAllocator.DEFAULT.directBuffer(BUFFER_BYTES);
  }

  /** A reply of the gateway itself; the buffer is given away. */
  void addLocal(ByteBuf bytes, boolean andClose) {
    if (asked == answered) {
      write(bytes, andClose);
      bytes.release();
    } else {
      locals.addLast(new Local(asked, bytes, andClose));
    }
  }

  private void write(ByteBuf bytes, boolean andClose) {
    if (close || released) {
      return;
    }
    if (bytes.isReadable()) {
      if (out == null) {
        out =
            PooledByteBufAllocator.DEFAULT.directBuffer(
                Math.max(BUFFER_BYTES, bytes.readableBytes()));
      }
      out.writeBytes(bytes, bytes.readerIndex(), bytes.readableBytes());
      markDirty();
    }
    if (andClose) {
      closeWhenFlushed();
    }
  }

  private void markDirty() {
    if (!dirty) {
      dirty = true;
      somethingToFlush.run();
    }
  }

  /** Nothing more is sent; the connection closes behind what there is. */
  void closeWhenFlushed() {
    if (!close && !released) {
      close = true;
      markDirty();
    }
  }

  /**
   * Sends what there is.
   *
   * @return whether the connection closes now
   */
  boolean flush(ChannelHandlerContext context) {
    dirty = false;
    ByteBuf bytes = out;
    out = null;
    if (released) {
      return false;
    }
    if (bytes == null) {
      if (close) {
        context.close();
      }
    } else if (close) {
      context.writeAndFlush(bytes).addListener(ChannelFutureListener.CLOSE);
    } else {
      context.writeAndFlush(bytes, context.voidPromise());
    }
    return close;
  }

  /** The client has gone. */
  void release() {
    released = true;
    if (out != null) {
      out.release();
      out = null;
    }
    locals.forEach(local -> local.bytes().release());
    locals.clear();
  }
}
