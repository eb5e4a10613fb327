package io.mgtm.block.store;

import io.mgtm.block.store.FlashPiece.Step;
import io.mgtm.flash.AlignedBuffer;
import io.mgtm.flash.BufferPool;
import io.mgtm.flash.FlashException;
import io.mgtm.flash.FlashFile;
import io.mgtm.flash.FlashQueue;
import io.mgtm.flash.ZeroMode;
import io.mgtm.jni.Errno;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The thread of a {@link FlashStore} that owns its ring: takes requests, cuts them into pieces that
 * fit the buffers, and hands back what is complete.
 *
 * <p>Bytes go through registered, aligned buffers, for the callers' are neither. A piece whose
 * bytes do not fill its blocks has them read first; {@link EdgeLocks} keeps neighbours apart.
 * Requests wait where buffers or the ring have no room, in the order in which they came.
 */
final class FlashWorker implements Runnable {
  static final int DEPTH = 256;
  static final int SMALL_BYTES = 16 * 1024;
  static final int LARGE_BYTES = 256 * 1024;
  private static final int LARGE_COUNT = 32;
  private static final long WAIT_NS = 1_000_000_000L;
  private static final long BROKEN_WAIT_NS = 10_000_000L;

  private final FlashFile file;
  private final FlashQueue queue;
  private final BufferPool small;
  private final BufferPool large;
  private final EdgeLocks locks;
  private final Consumer<List<FlashRequest>> finished;
  private final ConcurrentLinkedQueue<FlashRequest> inbox = new ConcurrentLinkedQueue<>();
  private final AtomicBoolean asleep = new AtomicBoolean();
  private volatile boolean closing;

  private final ArrayDeque<FlashRequest> ready = new ArrayDeque<>();
  private final ArrayDeque<FlashRequest> locked = new ArrayDeque<>();
  private final FlashPiece[] pieces = new FlashPiece[DEPTH];
  private final ArrayDeque<Integer> freePieces = new ArrayDeque<>();
  private List<FlashRequest> done = new ArrayList<>();
  private StoreException broken;

  /**
   * A worker over an open ring, whose pools are {@link #smallPool()} and {@link #largePool()}.
   *
   * @param finished takes requests that are complete, on this worker's thread
   */
  FlashWorker(
      FlashFile file,
      FlashQueue queue,
      BufferPool small,
      BufferPool large,
      EdgeLocks locks,
      Consumer<List<FlashRequest>> finished) {
    this.file = file;
    this.queue = queue;
    this.small = small;
    this.large = large;
    this.locks = locks;
    this.finished = finished;
    for (int i = 0; i < DEPTH; i++) {
      pieces[i] = new FlashPiece();
      freePieces.add(i);
    }
  }

  static BufferPool smallPool() {
    return BufferPool.of(DEPTH, SMALL_BYTES);
  }

  static BufferPool largePool() {
    return BufferPool.of(LARGE_COUNT, LARGE_BYTES);
  }

  /** Takes a request. Called by the owner. */
  void submit(FlashRequest request) {
    inbox.add(request);
    if (asleep.compareAndSet(true, false)) {
      queue.wakeup();
    }
  }

  /** Lets the thread end once all requests are complete. Any thread. */
  void close() {
    closing = true;
    queue.wakeup();
  }

  @Override
  public void run() {
    while (true) {
      takeRequests();
      begin();
      publish();
      if (closing && inbox.isEmpty() && (broken != null || isIdle())) {
        return;
      }
      if (broken != null) {
        LockSupport.parkNanos(BROKEN_WAIT_NS);
        continue;
      }
      asleep.set(true);
      // What came in between would wait for the wait's end.
      long waitNs = inbox.isEmpty() ? WAIT_NS : 0;
      try {
        var unused = queue.await(1, waitNs, this::completed);
      } catch (FlashException e) {
        breakDown(e);
      }
      asleep.set(false);
    }
  }

  private boolean isIdle() {
    return queue.inFlight() == 0 && ready.isEmpty();
  }

  private void takeRequests() {
    for (FlashRequest request = inbox.poll(); request != null; request = inbox.poll()) {
      if (broken != null) {
        request.failure = broken;
        done.add(request);
      } else if (request.changesBytes() && !locks.tryEnter(request)) {
        locked.add(request);
      } else {
        ready.add(request);
      }
    }
  }

  /** Begins as many pieces as there is room for. */
  private void begin() {
    while (!ready.isEmpty() && !freePieces.isEmpty() && queue.free() > 0) {
      FlashRequest request = ready.peek();
      if (request.failure != null) {
        // The rest of it is of no use.
        ready.poll();
        continue;
      }
      if (!beginPiece(request)) {
        return;
      }
      if (request.isBegun()) {
        ready.poll();
      }
    }
  }

  /** Answers false when there is no buffer now. */
  private boolean beginPiece(FlashRequest request) {
    int length = pieceLength(request);
    boolean bare = request.kind == FlashRequest.Kind.FLUSH || isBareZero(request);
    AlignedBuffer buffer = null;
    if (!bare) {
      buffer = (length <= SMALL_BYTES ? small : large).tryAcquire();
      if (buffer == null) {
        return false;
      }
    }
    int number = freePieces.poll();
    FlashPiece piece = pieces[number];
    piece.request = request;
    piece.from = request.next;
    piece.length = length;
    piece.buffer = buffer;
    request.underWay++;
    switch (request.kind) {
      case FLUSH -> bare(piece, number, request.next + 1);
      case READ -> {
        piece.step = Step.READ;
        read(piece, number);
      }
      default -> {
        if (bare) {
          bare(piece, number, zeroEnd(request));
        } else if (piece.hasEdges()) {
          piece.step = Step.READ_EDGES;
          read(piece, number);
        } else {
          write(piece, number);
        }
      }
    }
    return true;
  }

  private int pieceLength(FlashRequest request) {
    long left = request.blocksTo() - request.next;
    if (request.kind == FlashRequest.Kind.ZERO) {
      // The blocks at its ends, each by itself.
      return (int) Math.min(file.alignmentBytes(), left);
    }
    return (int) Math.min(LARGE_BYTES, left);
  }

  /** Whether whole blocks to zero begin where the request goes on. */
  private boolean isBareZero(FlashRequest request) {
    return request.kind == FlashRequest.Kind.ZERO
        && request.next >= request.offset
        && zeroEnd(request) > request.next;
  }

  private long zeroEnd(FlashRequest request) {
    return request.end() - request.end() % file.alignmentBytes();
  }

  private void bare(FlashPiece piece, int number, long next) {
    FlashRequest request = piece.request;
    piece.step = Step.BARE;
    long from = request.next;
    request.next = next;
    if (request.kind == FlashRequest.Kind.FLUSH) {
      queue.sync(file, number);
    } else {
      ZeroMode mode = request.mayUnmap ? ZeroMode.UNMAP : ZeroMode.ALLOCATE;
      queue.zero(file, number, from, next - from, mode);
    }
  }

  private void read(FlashPiece piece, int number) {
    piece.request.next = Math.max(piece.request.next, piece.from + piece.length);
    queue.read(file, number, piece.from, piece.buffer, 0, piece.length);
  }

  private void write(FlashPiece piece, int number) {
    piece.request.next = Math.max(piece.request.next, piece.from + piece.length);
    piece.step = Step.WRITE;
    piece.fill();
    queue.write(file, number, piece.from, piece.buffer, 0, piece.length, false);
  }

  private void completed(long tag, int bytes, FlashException error) {
    FlashPiece piece = pieces[(int) tag];
    FlashRequest request = piece.request;
    if (error != null) {
      if (request.kind == FlashRequest.Kind.FLUSH) {
        FlashRanges.forgetCache(file);
      }
      fail(request, error.errno() == Errno.ENOSPC || error.errno() == Errno.EDQUOT, error);
    } else if (piece.step == Step.READ && bytes < piece.wantedBytes()) {
      fail(request, false, endsEarly());
    } else if (piece.step == Step.READ) {
      piece.deliver();
    } else if (piece.step == Step.READ_EDGES && request.failure == null) {
      // Past the end of a file there is nothing to keep.
      for (int i = bytes; i < piece.length; i++) {
        piece.buffer.bytes().put(i, (byte) 0);
      }
      write(piece, (int) tag);
      return;
    }
    if (piece.buffer != null) {
      piece.buffer.release();
      piece.buffer = null;
    }
    freePieces.add((int) tag);
    request.underWay--;
    ended(request);
  }

  private IOException endsEarly() {
    try {
      return new IOException(
          file.path() + " ends at " + file.sizeBytes() + ", before the volume does");
    } catch (FlashException e) {
      return e;
    }
  }

  private static void fail(FlashRequest request, boolean full, IOException why) {
    if (request.failure == null) {
      StoreException failure =
          StoreException.of(request.operation(), request.offset, request.length, why);
      request.failure =
          full ? new StoreException(StoreException.ENOSPC, failure.getMessage(), why) : failure;
    }
  }

  private void ended(FlashRequest request) {
    if (request.underWay > 0 || (request.failure == null && !request.isBegun())) {
      return;
    }
    if (!request.isBegun()) {
      ready.remove(request);
    }
    if (request.changesBytes()) {
      locks.leave(request);
      unlock();
    }
    done.add(request);
  }

  /** Lets those begin, in their order, that waited for a block. */
  private void unlock() {
    for (int i = locked.size(); i > 0; i--) {
      FlashRequest request = locked.poll();
      if (locks.tryEnter(request)) {
        ready.add(request);
      } else {
        locked.add(request);
      }
    }
  }

  private void publish() {
    if (!done.isEmpty()) {
      List<FlashRequest> batch = done;
      done = new ArrayList<>();
      finished.accept(batch);
    }
  }

  /**
   * The kernel takes no operations any more: everything fails. What runs in the kernel may still
   * change bytes, as after any failed write.
   */
  private void breakDown(FlashException why) {
    broken = StoreException.of("io_uring", 0, 0, why);
    List<FlashRequest> failing = new ArrayList<>(ready);
    failing.addAll(locked);
    for (FlashPiece piece : pieces) {
      if (piece.request != null && piece.request.underWay > 0) {
        piece.request.underWay = 0;
        failing.add(piece.request);
      }
    }
    ready.clear();
    locked.clear();
    freePieces.clear();
    for (FlashRequest request : failing) {
      if (!done.contains(request)) {
        request.failure = broken;
        done.add(request);
      }
    }
  }
}
