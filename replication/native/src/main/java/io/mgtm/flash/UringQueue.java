package io.mgtm.flash;

import io.mgtm.flash.Slot.Operation;
import io.mgtm.jni.Errno;
import io.mgtm.jni.Memory;
import io.mgtm.jni.Wakeup;
import java.lang.ref.Reference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue on one io_uring. A call of {@link #harvest} is one crossing into native code, and at most
 * one system call unless it has to wait again.
 *
 * <p>The kernel may do less than asked; the rest is asked for again here. Ranges that a file system
 * cannot zero by itself are overwritten with zeros here, piece by piece.
 */
final class UringQueue extends SlotQueue {

  private static final Logger LOG = LoggerFactory.getLogger(UringQueue.class);

  /** How often an operation that the kernel gave up midway (EINTR, EAGAIN) is asked for again. */
  private static final int TRIES_MAX = 100;

  private static final int KEEP_SIZE = 1;
  private static final int PUNCH_HOLE = 2;
  private static final int ZERO_RANGE = 16;

  private final Ring ring;
  private final long[] poolAddresses;
  private final long zerosAddress = Memory.address(Zeros.memory());

  private UringQueue(int depth, Targets targets, Ring ring, long[] poolAddresses) {
    super(depth, targets, ring);
    this.ring = ring;
    this.poolAddresses = poolAddresses;
  }

  /** Opens a queue; the targets' files count it as a user. */
  static UringQueue open(int depth, Targets targets) throws FlashException {
    int[] files = new int[targets.fileCount()];
    for (int i = 0; i < files.length; i++) {
      files[i] = (int) targets.file(i).acquire();
      targets.file(i).release(); // the targets are users of their own until the ring is closed
    }
    long[] addresses = new long[targets.poolCount()];
    long[] pools = new long[2 * addresses.length];
    for (int i = 0; i < addresses.length; i++) {
      addresses[i] = Memory.address(targets.pool(i).memory());
      pools[2 * i] = addresses[i];
      pools[2 * i + 1] = targets.pool(i).memory().capacity();
    }
    RingArea area = new RingArea(depth);
    Wakeup wakeup = Wakeup.create();
    int[] registered = new int[1];
    long handle = RingCalls.open(depth, area.address(), files, pools, wakeup.fd(), registered);
    if (handle < 0 && handle > -4096) {
      wakeup.close();
      throw new FlashException("open of a ring", null, -1, depth, (int) -handle);
    }
    if (registered[0] == 0 && addresses.length > 0) {
      LOG.warn("the pools are not registered with the ring: raise ulimit -l for more speed");
    }
    return new UringQueue(
        depth, targets, new Ring(handle, area, wakeup, registered[0] != 0), addresses);
  }

  @Override
  boolean harvest(int minimum, long timeoutNs) throws FlashException {
    int already = completedCount();
    int submit = 0;
    for (int i = 0; i < preparedCount; i++) {
      Slot slot = slot(prepared[i]);
      if (encode(slot)) {
        ring.area.setSubmitted(submit++, slot.index);
      }
    }
    preparedCount = 0;
    int missing = Math.max(0, minimum - (completedCount() - already));
    int answer;
    try {
      answer = RingCalls.exchange(ring.handle, submit, missing, timeoutNs);
    } finally {
      Reference.reachabilityFence(this); // or the cleaner could free the ring meanwhile
    }
    if (answer < 0) {
      throw new FlashException("submission", null, -1, submit, -answer);
    }
    int count = answer & ~RingCalls.WOKEN;
    for (int i = 0; i < count; i++) {
      answered(slot(ring.area.answerSlot(i)), ring.area.answerResult(i));
    }
    return (answer & RingCalls.WOKEN) != 0;
  }

  /** Writes what the ring is to do; {@code false} when it was done at once. */
  private boolean encode(Slot slot) {
    switch (slot.operation) {
      case READ, WRITE -> encodeTransfer(slot);
      case SYNC -> ring.area.setRecord(slot.index, RingCalls.SYNC, slot.fileIndex, 0, 0, 0, 0, -1);
      case DISCARD, ZERO -> {
        if (slot.operation == Operation.DISCARD && slot.file.blockDevice()) {
          int answer = ((UringFile) slot.file).discardNow(slot.offset, slot.length);
          finish(slot, answer);
          return false;
        }
        return encodeRange(slot);
      }
    }
    return true;
  }

  private void encodeTransfer(Slot slot) {
    boolean read = slot.operation == Operation.READ;
    int flags = slot.durable ? RingCalls.DURABLE : 0;
    long offset = slot.offset + slot.done;
    if (slot.segments == 1) {
      int pool = targets.poolIndexOf(slot.buffers[0]);
      ring.area.setRecord(
          slot.index,
          read ? RingCalls.READ : RingCalls.WRITE,
          slot.fileIndex,
          offset,
          address(pool, slot, 0) + slot.done,
          slot.length - slot.done,
          flags,
          ring.registered ? pool : -1);
      return;
    }
    long vector = ring.area.vectorAddress(slot.index);
    long skip = slot.done;
    int pieces = 0;
    for (int i = 0; i < slot.segments; i++) {
      long left = slot.lengths[i] - skip;
      if (left > 0) {
        long address = address(targets.poolIndexOf(slot.buffers[i]), slot, i) + skip;
        ring.area.setPiece(slot.index, pieces++, address, left);
      }
      skip = Math.max(0, -left);
    }
    int operation = read ? RingCalls.READ_VECTOR : RingCalls.WRITE_VECTOR;
    ring.area.setRecord(slot.index, operation, slot.fileIndex, offset, vector, pieces, flags, -1);
  }

  private long address(int pool, Slot slot, int segment) {
    return poolAddresses[pool] + slot.buffers[segment].poolOffset() + slot.starts[segment];
  }

  private boolean encodeRange(Slot slot) {
    if (slot.writesZeros) {
      long length = Math.min(Zeros.BYTES, slot.length - slot.done);
      long offset = slot.offset + slot.done;
      ring.area.setRecord(
          slot.index, RingCalls.WRITE, slot.fileIndex, offset, zerosAddress, length, 0, -1);
      return true;
    }
    if (!slot.zeroMode.unmaps() && slot.zeroMode.fastOnly() && slot.file.blockDevice()) {
      slot.fail(Errno.EOPNOTSUPP.code()); // no way to ask whether the device or the kernel does it
      complete(slot);
      return false;
    }
    int mode = KEEP_SIZE | (slot.zeroMode.unmaps() ? PUNCH_HOLE : ZERO_RANGE);
    ring.area.setRecord(
        slot.index, RingCalls.FALLOCATE, slot.fileIndex, slot.offset, 0, slot.length, mode, -1);
    return true;
  }

  private void answered(Slot slot, int result) {
    boolean again = result == -Errno.EINTR.code() || result == -Errno.EAGAIN.code();
    if (again && ++slot.tries < TRIES_MAX) {
      prepare(slot);
      return;
    }
    boolean ranged = slot.operation == Operation.DISCARD || slot.operation == Operation.ZERO;
    if (ranged && !slot.writesZeros) {
      boolean odd = result == -Errno.EINVAL.code() && slot.file.blockDevice(); // parts of a block
      if ((odd || result == -Errno.EOPNOTSUPP.code()) && !slot.zeroMode.fastOnly()) {
        slot.writesZeros = true;
        prepare(slot);
        return;
      }
    } else if (result > 0) {
      slot.done += result;
      boolean end = slot.operation == Operation.READ && slot.file.misaligned(result);
      if (slot.done < slot.length && !end) {
        prepare(slot);
        return;
      }
    } else if (result == 0 && slot.operation != Operation.READ && slot.done < slot.length) {
      finish(slot, -Errno.EIO.code()); // a write that makes no progress would go on for ever
      return;
    }
    finish(slot, result);
  }

  private void finish(Slot slot, int result) {
    if (result < 0) {
      slot.fail(-result);
    } else {
      slot.bytes = (int) (slot.segments > 0 ? slot.done : 0);
    }
    complete(slot);
  }

  @Override
  public void wakeup() {
    ring.wakeup.signal();
  }

  /** What must be stopped before memory and files may go; it does not refer to the queue. */
  private static final class Ring implements Runnable {

    private static final long DRAIN_NS = 30_000_000_000L;

    private final long handle;
    private final RingArea area;
    private final Wakeup wakeup;
    private final boolean registered;

    Ring(long handle, RingArea area, Wakeup wakeup, boolean registered) {
      this.handle = handle;
      this.area = area;
      this.wakeup = wakeup;
      this.registered = registered;
    }

    @Override
    public void run() {
      int running = RingCalls.close(handle, DRAIN_NS);
      if (running > 0) {
        throw new IllegalStateException(
            running
                + " operations still run in the kernel; their files and memory are kept for good");
      }
      wakeup.close();
    }
  }
}
