package io.mgtm.block.wire;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;

/**
 * Collects what is written in one turn of the event loop into few buffers and sends them with one
 * flush at the turn's end.
 *
 * <p>Called on the channel's event loop only.
 */
public final class BatchWriter {
  private static final int BATCH_BYTES = 128 * 1024;

  private final Channel channel;
  private final Runnable flush = this::flush;
  private ByteBuf batch;
  private boolean scheduled;

  /** A writer to {@code channel}. */
  public BatchWriter(Channel channel) {
    this.channel = channel;
  }

  /**
   * A buffer with at least {@code bytes} writable, which goes out in its place. The caller writes
   * to it at once, and keeps no reference.
   */
  public ByteBuf reserve(int bytes) {
    if (batch != null && batch.writableBytes() < bytes) {
      sendBatch();
    }
    if (batch == null) {
      int capacity = Math.max(bytes, BATCH_BYTES);
      batch = channel.alloc().directBuffer(capacity, capacity);
    }
    schedule();
    return batch;
  }

  /** Sends {@code data}, which the writer owns from here on, without copying it. */
  public void write(ByteBuf data) {
    if (batch != null && batch.isReadable()) {
      // What is free of it serves what comes next: a header needs no buffer of its own.
      send(batch.readRetainedSlice(batch.readableBytes()));
    }
    send(data);
    schedule();
  }

  private void sendBatch() {
    ByteBuf full = batch;
    batch = null;
    if (full.isReadable()) {
      send(full);
    } else {
      full.release();
    }
  }

  /** A failed write fails the channel, whose handler hears of it. */
  private void send(ByteBuf buffer) {
    var unused = channel.write(buffer, channel.voidPromise());
  }

  private void schedule() {
    if (!scheduled) {
      scheduled = true;
      channel.eventLoop().execute(flush);
    }
  }

  private void flush() {
    scheduled = false;
    if (batch != null) {
      sendBatch();
    }
    channel.flush();
  }

  /** Frees what was not sent; the channel is closed. */
  public void close() {
    if (batch != null) {
      batch.release();
      batch = null;
    }
  }
}
