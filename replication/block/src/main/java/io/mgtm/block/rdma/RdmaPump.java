package io.mgtm.block.rdma;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.rdma.RdmaChannel;
import io.mgtm.rdma.RdmaChannelHandler;
import io.mgtm.rdma.RdmaException;
import io.mgtm.rdma.RdmaState;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The thread that owns one RDMA connection: moves bytes between the connection's registered buffers
 * and a {@link RdmaLinkChannel}.
 *
 * <p>Bytes to send come by {@link #offer} from the channel's event loop, bounded by {@link
 * #QUEUED_BYTES_MAX}; they are copied into messages of up to {@link RdmaMemory#MESSAGE_BYTES}.
 * Received messages are lent to the channel, which gives them back by {@link AlignedBuffer#release}
 * and {@link #wakeup}: while it does not, the peer runs out of credits and stops.
 */
final class RdmaPump implements Runnable, RdmaChannelHandler {
  /** Above so many bytes the channel keeps what it has. */
  static final long QUEUED_BYTES_MAX = 8L << 20;

  private static final long AWAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long FAREWELL_NS = TimeUnit.SECONDS.toNanos(1);

  /** Makes the connection, on the pump's thread. */
  @FunctionalInterface
  interface Opening {
    /**
     * Answers the connection.
     *
     * @throws RdmaException when there will be none
     */
    RdmaChannel open() throws RdmaException;
  }

  /** Told on the pump's thread. */
  interface Events {
    /** The connection may be used. */
    void connected();

    /** A message; the receiver keeps it by {@link AlignedBuffer#retain}. */
    void received(AlignedBuffer buffer, int length);

    /** There is room again after {@link #offer} had refused. */
    void roomAgain();

    /**
     * The connection is gone, or never came to be; nothing follows.
     *
     * @param failure why, or null when one of the sides closed it
     */
    void ended(String failure);
  }

  private final Opening opening;
  private final RdmaMemory memory;
  private final Events events;
  private final ConcurrentLinkedQueue<ByteBuf> outgoing = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private volatile RdmaChannel channel;
  private volatile boolean closing;
  private volatile boolean roomWanted;
  private ByteBuf current;
  private int unconfirmed;

  /** A pump over {@code memory}, which it closes at its end. */
  RdmaPump(Opening opening, RdmaMemory memory, Events events) {
    this.opening = opening;
    this.memory = memory;
    this.events = events;
  }

  /** Begins, on a thread of its own. */
  void start(String name) {
    Thread thread = new Thread(this, name);
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Takes bytes to send, which are the pump's from here on; {@link #wakeup} afterwards. Any thread.
   *
   * @return whether there was room; if not the bytes stay the caller's, who is told when there is
   */
  boolean offer(ByteBuf bytes) {
    if (queuedBytes.get() >= QUEUED_BYTES_MAX) {
      roomWanted = true;
      // The pump may have drained in between, and must not miss the wish.
      if (queuedBytes.get() >= QUEUED_BYTES_MAX) {
        return false;
      }
      roomWanted = false;
    }
    queuedBytes.addAndGet(bytes.readableBytes());
    outgoing.add(bytes);
    return true;
  }

  /** Has the pump look for what to send, or which buffers came back. Any thread. */
  void wakeup() {
    RdmaChannel present = channel;
    if (present != null) {
      present.wakeup();
    }
  }

  /** Sends what was offered, for a bounded time, and ends the connection. Any thread. */
  void close() {
    closing = true;
    wakeup();
  }

  @Override
  public void run() {
    String failure = null;
    try (RdmaChannel opened = opening.open()) {
      channel = opened;
      events.connected();
      pump(opened);
    } catch (RdmaException | RuntimeException e) {
      boolean parted = channel != null && channel.state() == RdmaState.DISCONNECTED;
      failure = closing || parted ? null : String.valueOf(e.getMessage());
    } finally {
      closing = true;
      freeOutgoing();
      memory.close();
    }
    events.ended(failure);
  }

  private void pump(RdmaChannel opened) throws RdmaException {
    long closingSince = 0;
    while (true) {
      prepare(opened);
      if (closing) {
        long now = System.nanoTime();
        closingSince = closingSince == 0 ? now : closingSince;
        if ((queuedBytes.get() == 0 && unconfirmed == 0) || now - closingSince > FAREWELL_NS) {
          return;
        }
      }
      opened.await(AWAIT_NS, this);
    }
  }

  /** Puts as much of what was offered into messages as buffers and credits allow. */
  private void prepare(RdmaChannel opened) {
    while (hasCurrent() && opened.available() > 0) {
      AlignedBuffer buffer = memory.sendBuffers().tryAcquire();
      if (buffer == null) {
        return;
      }
      int length = fill(buffer.bytes());
      boolean prepared = opened.trySend(0, buffer, 0, length);
      buffer.release();
      if (!prepared) {
        throw new IllegalStateException("a message was refused though there was a credit for it");
      }
      unconfirmed++;
    }
    if (roomWanted && queuedBytes.get() < QUEUED_BYTES_MAX / 2) {
      roomWanted = false;
      events.roomAgain();
    }
  }

  private boolean hasCurrent() {
    while (current == null || !current.isReadable()) {
      if (current != null) {
        current.release();
      }
      current = outgoing.poll();
      if (current == null) {
        return false;
      }
    }
    return true;
  }

  private int fill(ByteBuffer message) {
    int length = 0;
    while (length < RdmaMemory.MESSAGE_BYTES && hasCurrent()) {
      int count = Math.min(RdmaMemory.MESSAGE_BYTES - length, current.readableBytes());
      message.limit(length + count).position(length);
      current.readBytes(message);
      length += count;
    }
    queuedBytes.addAndGet(-length);
    return length;
  }

  private void freeOutgoing() {
    if (current != null) {
      current.release();
      current = null;
    }
    for (ByteBuf left = outgoing.poll(); left != null; left = outgoing.poll()) {
      left.release();
    }
  }

  @Override
  public void message(AlignedBuffer buffer, int length) {
    events.received(buffer, length);
  }

  @Override
  public void written(int value, int length) {
    throw new IllegalStateException("the peer wrote into memory that was not opened to it");
  }

  @Override
  public void sent(long tag, RdmaException error) {
    unconfirmed--;
  }
}
