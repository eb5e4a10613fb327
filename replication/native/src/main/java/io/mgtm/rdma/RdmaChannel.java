package io.mgtm.rdma;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.jni.Errno;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Messages and writes over a connection, with flow control by credits, for one thread, as {@link
 * RdmaConnection}. Each side has a pool of its own for what it receives.
 *
 * <p>The number that comes with every message holds the credits that it returns in its upper 12
 * bits, and in the lower 20 bits the value of a write; for messages they are 0. A message without
 * bytes only returns credits.
 */
public final class RdmaChannel implements AutoCloseable {

  /** The largest number that a write can carry. */
  public static final int VALUE_MAX = (1 << 20) - 1;

  /** The largest window. */
  public static final int WINDOW_MAX = 4000;

  private static final int CREDITS_SHIFT = 20;

  /** The tag of a return of credits; sends of the user have a place in the table instead. */
  private static final long RETURN_TAG = -1;

  private final RdmaConnection connection;
  private final ChannelGreeting peer;
  private final CreditWindow credits;
  private final RegisteredPool receives;
  private final AlignedBuffer[] posted;
  private final int[] unposted;
  private int unpostedCount;
  private final int sendsMax;
  private final long[] tags;
  private final int[] freeTags;
  private int freeTagCount;
  private RdmaChannelHandler handler;
  private RdmaException broken;

  /** Receives are posted already, as many as the window; the connection is established. */
  private RdmaChannel(
      RdmaConnection connection, Setup setup, ChannelGreeting peer, AlignedBuffer[] posted) {
    this.connection = connection;
    this.peer = peer;
    this.posted = posted;
    receives = setup.receives();
    credits = new CreditWindow(setup.window());
    unposted = new int[setup.window()];
    sendsMax = setup.window();
    tags = new long[sendsMax];
    freeTags = new int[sendsMax];
    for (int i = 0; i < sendsMax; i++) {
      freeTags[freeTagCount++] = i;
    }
  }

  /**
   * How a channel is set up; the window and the message size must be the same on both sides.
   *
   * @param window how many messages may be on their way in one direction, from 4 to {@link
   *     #WINDOW_MAX}
   * @param receives memory for what comes in: at least as many buffers as the window
   * @param sends the pools of what goes out
   * @param writable what the peer may write into, if anything
   */
  public record Setup(
      int window,
      RegisteredPool receives,
      List<RegisteredPool> sends,
      Optional<RegisteredPool> writable) {

    /** Refuses what is out of range. */
    public Setup {
      if (window < CreditWindow.WINDOW_MIN || window > WINDOW_MAX) {
        throw new IllegalArgumentException("a window is from 4 to " + WINDOW_MAX + ": " + window);
      }
      if (receives.pool().count() < window) {
        throw new IllegalArgumentException(
            "a window of " + window + " needs as many buffers, not " + receives.pool().count());
      }
      sends = List.copyOf(sends);
    }

    private RdmaOptions options() {
      List<RegisteredPool> pools =
          Stream.concat(Stream.of(receives), sends.stream()).distinct().toList();
      return new RdmaOptions(window + 1, window, pools);
    }

    private ChannelGreeting greeting() {
      return new ChannelGreeting(
          window, receives.pool().bufferBytes(), writable.map(RegisteredPool::remoteMemory));
    }
  }

  /**
   * Connects to a peer that accepts.
   *
   * @param timeoutMs how long each step may take
   * @throws RdmaException when it cannot be reached, or is set up otherwise (EPROTO)
   */
  public static RdmaChannel connect(
      RdmaDomain domain, InetSocketAddress peer, Setup setup, long timeoutMs) throws RdmaException {
    return open(
        RdmaConnector.prepare(domain, peer, setup.options(), timeoutMs), setup, false, timeoutMs);
  }

  /**
   * Waits for a peer that connects.
   *
   * @return the channel, or nothing when no peer came in time
   * @throws RdmaException when the one that came is set up otherwise (EPROTO), or did not finish
   */
  public static Optional<RdmaChannel> accept(RdmaListener listener, Setup setup, long timeoutMs)
      throws RdmaException {
    Optional<RdmaConnection> connection = listener.accept(setup.options(), timeoutMs);
    return connection.isEmpty()
        ? Optional.empty()
        : Optional.of(open(connection.get(), setup, true, timeoutMs));
  }

  private static RdmaChannel open(
      RdmaConnection connection, Setup setup, boolean passive, long timeoutMs)
      throws RdmaException {
    AlignedBuffer[] posted = new AlignedBuffer[setup.window()];
    try {
      ChannelGreeting peer = passive ? greetingOf(connection, setup) : null;
      for (int i = 0; i < posted.length; i++) {
        posted[i] = setup.receives().pool().tryAcquire();
        if (posted[i] == null) {
          throw new IllegalStateException(
              "the pool for receives has only " + i + " of " + posted.length + " buffers free");
        }
        connection.receive(i, posted[i]);
      }
      connection.establish(setup.greeting().encode(), timeoutMs);
      peer = peer == null ? greetingOf(connection, setup) : peer;
      return new RdmaChannel(connection, setup, peer, posted);
    } catch (RdmaException | RuntimeException e) {
      connection.close();
      for (AlignedBuffer buffer : posted) {
        if (buffer != null) {
          buffer.release();
        }
      }
      throw e;
    }
  }

  private static ChannelGreeting greetingOf(RdmaConnection connection, Setup setup)
      throws RdmaException {
    try {
      ChannelGreeting peer = ChannelGreeting.decode(connection.peerData());
      int bytes = setup.receives().pool().bufferBytes();
      if (peer.window() == setup.window() && peer.messageBytes() == bytes) {
        return peer;
      }
      throw new IllegalArgumentException(
          "the peer has " + peer + ", and here are " + setup.window() + " of " + bytes + " bytes");
    } catch (IllegalArgumentException e) {
      RdmaException failure =
          new RdmaException("greeting (" + e.getMessage() + ")", Errno.EPROTO.code());
      failure.initCause(e);
      throw failure;
    }
  }

  /** What the peer opened for {@link #tryWrite}, if anything. */
  public Optional<RemoteMemory> peerMemory() {
    return peer.memory();
  }

  /** The longest message in bytes. */
  public int messageBytesMax() {
    return peer.messageBytes();
  }

  /** Where the connection stands. */
  public RdmaState state() {
    return connection.state();
  }

  /** How many messages and writes can go out now. */
  public int available() {
    return Math.min(credits.available(), Math.min(freeTagCount, connection.freeSends()));
  }

  /**
   * Prepares a message if a credit is there.
   *
   * @return whether it was prepared; if not, await first
   * @see RdmaConnection#send
   */
  public boolean trySend(long tag, AlignedBuffer buffer, int start, int length) {
    if (length > peer.messageBytes()) {
      throw new IllegalArgumentException(
          length + " bytes are more than a message's " + peer.messageBytes());
    }
    if (available() == 0) {
      return false;
    }
    int place = freeTags[freeTagCount - 1];
    connection.sendImmediate(place, buffer, start, length, credits.owed() << CREDITS_SHIFT);
    commit(place, tag);
    return true;
  }

  /**
   * Prepares a write into the peer's memory if a credit is there.
   *
   * @param value a number for the peer, from 0 to {@link #VALUE_MAX}
   * @return whether it was prepared; if not, await first
   * @throws IllegalStateException when the peer opened no memory
   * @see RdmaConnection#writeImmediate
   */
  public boolean tryWrite(
      long tag, AlignedBuffer buffer, int start, int length, long remoteOffset, int value) {
    if (value < 0 || value > VALUE_MAX) {
      throw new IllegalArgumentException("a write's number is from 0 to " + VALUE_MAX);
    }
    RemoteMemory memory =
        peer.memory()
            .orElseThrow(() -> new IllegalStateException("the peer opened no memory for writes"));
    if (available() == 0) {
      return false;
    }
    int place = freeTags[freeTagCount - 1];
    int immediate = credits.owed() << CREDITS_SHIFT | value;
    connection.writeImmediate(place, buffer, start, length, memory, remoteOffset, immediate);
    commit(place, tag);
    return true;
  }

  private void commit(int place, long tag) {
    credits.takeForMessage();
    freeTagCount--;
    tags[place] = tag;
  }

  /**
   * Submits what is prepared and tells the handler what happened, without waiting.
   *
   * @throws RdmaException when the connection has ended and all was told, or the peer broke the
   *     rules (EPROTO)
   */
  public int poll(RdmaChannelHandler told) throws RdmaException {
    return run(told, 0, 0);
  }

  /**
   * Submits what is prepared, waits until something happens, a wake-up, or time is up, and tells
   * the handler.
   *
   * @return how many things happened
   * @throws RdmaException when the connection has ended and all was told, or the peer broke the
   *     rules (EPROTO)
   */
  public int await(long timeoutNs, RdmaChannelHandler told) throws RdmaException {
    return run(told, 1, timeoutNs);
  }

  private int run(RdmaChannelHandler told, int minimum, long timeoutNs) throws RdmaException {
    handler = told;
    repost();
    int count =
        minimum == 0
            ? connection.poll(this::completed)
            : connection.await(minimum, timeoutNs, this::completed);
    repost();
    connection.submit();
    if (broken != null) {
      throw broken;
    }
    if (count == 0 && connection.state() != RdmaState.CONNECTED && connection.inFlight() == 0) {
      throw new RdmaException("the channel", WorkStatus.WR_FLUSH_ERR);
    }
    return count;
  }

  private void completed(long tag, RdmaWork work, int bytes, int immediate, RdmaException error) {
    if (work == RdmaWork.SENT) {
      if (tag != RETURN_TAG) {
        int place = (int) tag;
        freeTags[freeTagCount++] = place;
        handler.sent(tags[place], error);
      }
      return;
    }
    int place = (int) tag;
    AlignedBuffer buffer = posted[place];
    unposted[unpostedCount++] = place;
    posted[place] = null;
    try {
      if (error == null) {
        accept(work, buffer, bytes, immediate);
      }
    } finally {
      buffer.release();
    }
  }

  private void accept(RdmaWork work, AlignedBuffer buffer, int bytes, int immediate) {
    try {
      credits.returned(immediate >>> CREDITS_SHIFT);
    } catch (IllegalArgumentException e) {
      broken = new RdmaException("flow control (" + e.getMessage() + ")", Errno.EPROTO.code());
      return;
    }
    if (work == RdmaWork.WRITTEN) {
      handler.written(immediate & VALUE_MAX, bytes);
    } else if (bytes > 0) {
      handler.message(buffer, bytes);
    }
  }

  /** Posts receives for which a buffer is there again, and returns credits when many are owed. */
  private void repost() {
    if (connection.state() != RdmaState.CONNECTED) {
      return;
    }
    while (unpostedCount > 0) {
      AlignedBuffer buffer = receives.pool().tryAcquire();
      if (buffer == null) {
        break;
      }
      int place = unposted[--unpostedCount];
      posted[place] = buffer;
      connection.receive(place, buffer);
      credits.reposted();
    }
    if (credits.shouldReturn() && connection.freeSends() > 0) {
      connection.signal(RETURN_TAG, credits.takeForReturn() << CREDITS_SHIFT);
    }
  }

  /** Ends the present await of the owner or else its next one. Any thread, any time. */
  public void wakeup() {
    connection.wakeup();
  }

  /** Leaves and frees all; see {@link RdmaConnection#close()}. */
  @Override
  public void close() {
    boolean first = connection.state() != RdmaState.CLOSED;
    connection.close();
    if (first) {
      for (int i = 0; i < posted.length; i++) {
        if (posted[i] != null) {
          posted[i].release();
          posted[i] = null;
        }
      }
    }
  }
}
