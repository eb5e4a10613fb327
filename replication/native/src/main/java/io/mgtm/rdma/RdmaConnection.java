package io.mgtm.rdma;

import io.mgtm.flash.AlignedBuffer;
import io.mgtm.jni.OwnerThread;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A reliable connection between two devices, for one thread.
 *
 * <p>It belongs to the first thread that prepares work, submits, waits, establishes or disconnects;
 * any other thread may only call {@link #wakeup()} and the getters, gets {@link
 * IllegalStateException} from everything else, and may close it only once its owner has ended.
 *
 * <p>Work is prepared by {@link #receive}, {@link #send} and the like, and handed to the device by
 * {@link #submit()}, {@link #poll} or {@link #await}. The device does sends and writes in their
 * order; each message uses up one receive of the peer, and one that finds none breaks the
 * connection after some retries: {@link RdmaChannel} counts credits so that this cannot be. The
 * connection holds a reference on each buffer until its completion is delivered.
 *
 * <p>Arguments are checked before anything is prepared: {@link IllegalArgumentException} for a
 * buffer of a pool that the connection was not made with, {@link IndexOutOfBoundsException} for a
 * piece outside its buffer or outside the remote memory, {@link IllegalStateException} for a closed
 * connection, a released buffer, or too much work. After the peer or the path is gone work can
 * still be prepared, and completes with an error.
 *
 * <p>A peer whose machine dies silently is noticed only by work that it does not acknowledge: who
 * waits for a message sends something now and then.
 */
public final class RdmaConnection implements AutoCloseable {
  /** The longest wait in nanoseconds: an hour. */
  public static final long TIMEOUT_NS_MAX = 3_600_000_000_000L;

  private static final Logger LOG = LoggerFactory.getLogger(RdmaConnection.class);
  private static final Cleaner CLEANER = Cleaner.create();

  private final String peer;
  private final ConnectionParts parts;
  private final WorkSlots slots;
  private final List<RegisteredPool> pools;
  private final Cleaner.Cleanable cleanable;
  private final OwnerThread owner;
  private volatile RdmaState state = RdmaState.PREPARED;
  private boolean delivering;

  private RdmaConnection(String peer, ConnectionParts parts) {
    this.peer = peer;
    this.parts = parts;
    owner = new OwnerThread("the connection to " + peer);
    slots = parts.slots;
    pools = parts.pools;
    cleanable = CLEANER.register(this, parts);
  }

  /** Makes a connection of what was resolved or requested; closes that when it cannot. */
  static RdmaConnection build(long handle, RdmaDomain domain, String peer, RdmaOptions options)
      throws RdmaException {
    ConnectionParts parts = new ConnectionParts(handle, domain, options);
    try {
      long device = parts.acquire();
      long area = parts.area.address();
      int fd = parts.wakeup.fd();
      int answer =
          ConnectCalls.build(handle, device, area, options.sends(), options.receives(), fd);
      if (answer < 0) {
        throw new RdmaException("building the queues to " + peer, -answer);
      }
      return new RdmaConnection(peer, parts);
    } catch (RdmaException | RuntimeException e) {
      parts.run();
      throw e;
    }
  }

  static void checkTimeout(long timeoutMs) {
    if (timeoutMs < 1 || timeoutMs > TIMEOUT_NS_MAX / 1_000_000) {
      throw new IllegalArgumentException("a wait takes from 1 ms to an hour, not " + timeoutMs);
    }
  }

  /** Where it stands, as far as the owner has heard. */
  public RdmaState state() {
    return state;
  }

  /** How many sends and writes can be prepared now. */
  public int freeSends() {
    return slots.freeSends();
  }

  /** How many receives can be prepared now. */
  public int freeReceives() {
    return slots.freeReceives();
  }

  /** How much work is prepared, posted, or complete and not delivered. */
  public int inFlight() {
    return slots.inFlight();
  }

  /**
   * What the peer gave to {@link #establish}: the connecting side's is there from the begin, the
   * listening side's once the connection is established. At most {@link PrivateData#BYTES_MAX}
   * bytes.
   *
   * @throws RdmaException when what came is not of this kind
   */
  public byte[] peerData() throws RdmaException {
    enter();
    byte[] data = new byte[ConnectCalls.PEER_DATA_BYTES];
    int length;
    try {
      length = ConnectCalls.peerData(parts.handle, data);
    } finally {
      Reference.reachabilityFence(this);
    }
    return PrivateData.decode(data, length, peer);
  }

  /**
   * Asks the peer, or accepts its request, and waits until messages can flow. Receives that are
   * prepared are posted before.
   *
   * @param privateData at most {@link PrivateData#BYTES_MAX} bytes for {@link #peerData()} of the
   *     peer
   * @param timeoutMs how long to wait at most, from 1 to an hour
   * @throws RdmaException ECONNREFUSED, ETIMEDOUT, ECANCELED by {@link #wakeup()}, or what else the
   *     system says; the connection has failed then, and is to be closed
   */
  public void establish(byte[] privateData, long timeoutMs) throws RdmaException {
    enter();
    checkTimeout(timeoutMs);
    byte[] data = PrivateData.encode(privateData);
    if (state != RdmaState.PREPARED) {
      throw new IllegalStateException("the connection to " + peer + " is " + state);
    }
    harvest(0, 0);
    parts.asked = true;
    int answer;
    try {
      answer = ConnectCalls.establish(parts.handle, data, timeoutMs);
    } finally {
      Reference.reachabilityFence(this);
    }
    if (answer < 0) {
      state = RdmaState.FAILED;
      throw new RdmaException("connecting to " + peer, -answer);
    }
    state = RdmaState.CONNECTED;
    LOG.info("RDMA connection to {} is established", peer);
  }

  /** Prepares a receive of one message into a buffer, the whole of it. */
  public void receive(long tag, AlignedBuffer buffer) {
    enter();
    Objects.requireNonNull(buffer, "buffer");
    prepare(TransferCalls.RECEIVE, tag, buffer, 0, buffer.capacityBytes());
  }

  /** Prepares the sending of a piece of a buffer. */
  public void send(long tag, AlignedBuffer buffer, int start, int length) {
    enter();
    prepare(TransferCalls.SEND, tag, buffer, start, length);
  }

  /** Prepares the sending of a piece of a buffer with a number. */
  public void sendImmediate(long tag, AlignedBuffer buffer, int start, int length, int immediate) {
    enter();
    Work work = prepare(TransferCalls.SEND_IMMEDIATE, tag, buffer, start, length);
    parts.area.setRemote(work.index, immediate, 0, 0);
  }

  /** Prepares the sending of nothing but a number. */
  public void signal(long tag, int immediate) {
    enter();
    Work work = slots.claim(TransferCalls.SEND_IMMEDIATE, tag);
    parts.area.setLocal(work.index, TransferCalls.SEND_IMMEDIATE, 0, 0, 0);
    parts.area.setRemote(work.index, immediate, 0, 0);
    slots.prepare(work);
  }

  /** Prepares the writing of a piece of a buffer into the peer's memory, and a number for it. */
  public void writeImmediate(
      long tag,
      AlignedBuffer buffer,
      int start,
      int length,
      RemoteMemory remote,
      long remoteOffset,
      int immediate) {
    enter();
    long address = remote.addressOf(remoteOffset, length);
    Work work = prepare(TransferCalls.WRITE_IMMEDIATE, tag, buffer, start, length);
    parts.area.setRemote(work.index, immediate, address, remote.key());
  }

  private Work prepare(int operation, long tag, AlignedBuffer buffer, int start, int length) {
    Objects.requireNonNull(buffer, "buffer");
    Objects.checkFromIndexSize(start, length, buffer.capacityBytes());
    if (length == 0) {
      throw new IllegalArgumentException("a message needs at least 1 byte; see signal");
    }
    RegisteredPool pool = poolOf(buffer);
    Work work = slots.claim(operation, tag);
    try {
      work.buffer = buffer.retain();
    } catch (IllegalStateException e) {
      slots.free(work);
      throw e;
    }
    parts.area.setLocal(
        work.index, operation, pool.addressOf(buffer) + start, length, pool.localKey());
    slots.prepare(work);
    return work;
  }

  private RegisteredPool poolOf(AlignedBuffer buffer) {
    for (int i = 0; i < pools.size(); i++) {
      if (pools.get(i).pool() == buffer.pool()) {
        return pools.get(i);
      }
    }
    throw new IllegalArgumentException(
        buffer + " is of a pool that the connection was not made with");
  }

  /** Hands what is prepared to the device, and does not wait. */
  public void submit() throws RdmaException {
    enter();
    checkNotDelivering();
    harvest(0, 0);
  }

  /**
   * Submits, and delivers the completions that are there.
   *
   * @return how many were delivered
   */
  public int poll(RdmaCompletion completion) throws RdmaException {
    enter();
    checkNotDelivering();
    harvest(0, 0);
    return deliver(completion);
  }

  /**
   * Submits, and delivers completions until there were {@code minimum} of them, or the connection
   * ended, or {@link #wakeup()} was called, or time is up.
   *
   * @param minimum how many to wait for, at least 1
   * @param timeoutNs how long to wait at most, from 0 to {@link #TIMEOUT_NS_MAX}
   * @return how many were delivered
   * @throws RdmaException when the system fails the wait itself
   */
  public int await(int minimum, long timeoutNs, RdmaCompletion completion) throws RdmaException {
    enter();
    checkNotDelivering();
    if (minimum < 1 || timeoutNs < 0 || timeoutNs > TIMEOUT_NS_MAX) {
      throw new IllegalArgumentException("await of " + minimum + " for " + timeoutNs + " ns");
    }
    long begin = System.nanoTime();
    RdmaState before = state;
    boolean over = before != RdmaState.CONNECTED && before != RdmaState.PREPARED;
    long leftNs = over && slots.inFlight() == 0 ? 0 : timeoutNs; // nothing can come any more
    int delivered = 0;
    boolean woken;
    do {
      woken = harvest(Math.max(0, minimum - delivered - slots.completedCount()), leftNs);
      delivered += deliver(completion);
      leftNs = Math.min(leftNs, timeoutNs - (System.nanoTime() - begin));
    } while (delivered < minimum && !woken && state == before && leftNs > 0);
    return delivered;
  }

  private boolean harvest(int minimum, long timeoutNs) throws RdmaException {
    int submit = slots.preparedCount;
    for (int i = 0; i < submit; i++) {
      parts.area.setSubmitted(i, slots.prepared[i]);
    }
    slots.preparedCount = 0;
    int answer;
    try {
      answer = TransferCalls.exchange(parts.handle, submit, minimum, timeoutNs);
    } finally {
      Reference.reachabilityFence(this);
    }
    if (answer < 0) {
      throw new RdmaException("waiting for " + peer, -answer);
    }
    int count = answer & ~(TransferCalls.WOKEN | TransferCalls.LEFT);
    for (int i = 0; i < count; i++) {
      answered(slots.at(parts.area.slot(i)), i);
    }
    if ((answer & TransferCalls.LEFT) != 0 && state == RdmaState.CONNECTED) {
      state = RdmaState.DISCONNECTED;
      LOG.info("RDMA connection to {} has ended: the peer left", peer);
    }
    return (answer & TransferCalls.WOKEN) != 0;
  }

  private void answered(Work work, int position) {
    int status = parts.area.status(position);
    if (status == 0) {
      work.succeeded(parts.area, position);
    } else {
      String what = (work.receives() ? "a receive from " : "a send to ") + peer;
      work.failed(what, status);
      if (state == RdmaState.CONNECTED) {
        boolean left = work.error.status() == WorkStatus.WR_FLUSH_ERR;
        state = left ? RdmaState.DISCONNECTED : RdmaState.FAILED;
        LOG.warn("RDMA connection to {} has ended: {}", peer, work.error.getMessage());
      }
    }
    slots.complete(work);
  }

  private int deliver(RdmaCompletion completion) {
    int delivered = 0;
    delivering = true;
    try {
      for (int i = slots.completedCount(); i > 0; i--) {
        Work work = slots.nextCompleted();
        RdmaException error = work.error;
        work.error = null;
        slots.free(work);
        delivered++;
        completion.completed(work.tag, work.kind, work.bytes, work.immediate, error);
      }
    } finally {
      delivering = false;
    }
    return delivered;
  }

  /** Ends the present wait of the owner or else its next one. Any thread, any time. */
  public void wakeup() {
    parts.wakeup.signal();
  }

  /**
   * Leaves: the peer hears of it, and what is posted here completes with {@link
   * WorkStatus#WR_FLUSH_ERR}. Does nothing when it is not connected.
   */
  public void disconnect() throws RdmaException {
    enter();
    if (state == RdmaState.CONNECTED) {
      state = RdmaState.DISCONNECTED;
      int answer;
      try {
        answer = ConnectCalls.disconnect(parts.handle);
      } finally {
        Reference.reachabilityFence(this);
      }
      if (answer < 0) {
        throw new RdmaException("disconnecting from " + peer, -answer);
      }
      LOG.info("RDMA connection to {} has ended: this side left", peer);
    }
  }

  /**
   * Leaves or refuses, and frees all; completions that were not delivered are dropped. Further
   * calls do nothing.
   *
   * @throws IllegalStateException when another thread owns the connection and still lives
   */
  @Override
  public void close() {
    if (state == RdmaState.CLOSED) {
      return;
    }
    owner.inherit();
    checkNotDelivering();
    state = RdmaState.CLOSED;
    cleanable.clean();
  }

  private void enter() {
    owner.enter();
    if (state == RdmaState.CLOSED) {
      throw new IllegalStateException("the connection to " + peer + " is closed");
    }
  }

  private void checkNotDelivering() {
    if (delivering) {
      throw new IllegalStateException("a completion may prepare work, but not wait or close");
    }
  }
}
