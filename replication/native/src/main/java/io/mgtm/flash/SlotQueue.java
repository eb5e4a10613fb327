package io.mgtm.flash;

import io.mgtm.flash.Slot.Operation;
import io.mgtm.jni.OwnerThread;
import java.lang.ref.Cleaner;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every queue does, whatever carries out the I/O: owner thread, argument checks, slots,
 * references on buffers, delivery.
 *
 * <p>A slot is free, prepared (in {@link #prepared}), running (the engine knows), or complete (in
 * the ring of completed slots). Its buffers are referred to from prepared to delivered.
 */
abstract sealed class SlotQueue implements FlashQueue permits ChannelQueue, UringQueue {

  private static final Logger LOG = LoggerFactory.getLogger(SlotQueue.class);
  private static final Cleaner CLEANER = Cleaner.create();

  private final Slot[] slots;
  private final int[] freeSlots;
  private int freeCount;
  private final int[] completed;
  private int completedFirst;
  private int completedCount;

  /**
   * The slots that the engine has not been told of, in order; it takes them and resets the count.
   */
  final int[] prepared;

  int preparedCount;

  final Targets targets;
  private final Cleaner.Cleanable cleanable;
  private final OwnerThread owner = new OwnerThread("the queue");
  private volatile boolean closed;
  private boolean delivering;

  /**
   * Builds the parts that need no engine.
   *
   * @param targets kept, with its files counted as used, until the engine is freed
   * @param engine frees the engine, after which no memory is touched any more; run exactly once, by
   *     close or when the queue is unreachable, so it must not refer to the queue
   */
  SlotQueue(int depth, Targets targets, Runnable engine) {
    this.targets = targets;
    slots = new Slot[depth];
    freeSlots = new int[depth];
    completed = new int[depth];
    prepared = new int[depth];
    for (int i = 0; i < depth; i++) {
      slots[i] = new Slot(i);
      freeSlots[i] = depth - 1 - i;
    }
    freeCount = depth;
    cleanable = CLEANER.register(this, new Teardown(slots, targets, engine));
  }

  /**
   * Starts what is prepared, waits for completions, and reports each by {@link #complete}.
   *
   * @param minimum how many to wait for; 0 does not wait
   * @param timeoutNs how long to wait at most
   * @return whether {@link #wakeup()} ended the wait
   */
  abstract boolean harvest(int minimum, long timeoutNs) throws FlashException;

  @Override
  public final int depth() {
    return slots.length;
  }

  @Override
  public final int inFlight() {
    return slots.length - freeCount;
  }

  @Override
  public final int free() {
    return freeCount;
  }

  @Override
  public final void read(
      FlashFile file, long tag, long offset, AlignedBuffer buffer, int start, int length) {
    enter();
    transfer(Operation.READ, file, tag, offset, buffer, start, length, false);
  }

  @Override
  public final void write(
      FlashFile file,
      long tag,
      long offset,
      AlignedBuffer buffer,
      int start,
      int length,
      boolean durable) {
    enter();
    Targets.checkWritable(file);
    transfer(Operation.WRITE, file, tag, offset, buffer, start, length, durable);
  }

  private void transfer(
      Operation operation,
      FlashFile file,
      long tag,
      long offset,
      AlignedBuffer buffer,
      int start,
      int length,
      boolean durable) {
    Objects.requireNonNull(buffer, "buffer");
    int fileIndex = targets.indexOf(file);
    BaseFile target = targets.file(fileIndex);
    Objects.checkFromIndexSize(start, length, buffer.capacityBytes());
    Targets.checkRange(operation, target, offset, length);
    targets.checkMemory(target, buffer, start, length);
    Slot slot = claim(operation, fileIndex, tag, offset, length);
    try {
      slot.setBuffer(buffer, start, length);
    } catch (IllegalStateException e) {
      unclaim(slot);
      throw e;
    }
    slot.durable = durable;
    prepare(slot);
  }

  @Override
  public final void readVector(FlashFile file, long tag, long offset, IoVector vector) {
    enter();
    transferVector(Operation.READ, file, tag, offset, vector, false);
  }

  @Override
  public final void writeVector(
      FlashFile file, long tag, long offset, IoVector vector, boolean durable) {
    enter();
    Targets.checkWritable(file);
    transferVector(Operation.WRITE, file, tag, offset, vector, durable);
  }

  private void transferVector(
      Operation operation,
      FlashFile file,
      long tag,
      long offset,
      IoVector vector,
      boolean durable) {
    int fileIndex = targets.indexOf(file);
    BaseFile target = targets.file(fileIndex);
    Targets.checkRange(operation, target, offset, vector.lengthBytes());
    for (int i = 0; i < vector.segments(); i++) {
      targets.checkMemory(target, vector.buffers[i], vector.starts[i], vector.lengths[i]);
    }
    Slot slot = claim(operation, fileIndex, tag, offset, vector.lengthBytes());
    try {
      slot.setVector(vector);
    } catch (IllegalStateException e) {
      unclaim(slot);
      throw e;
    }
    slot.durable = durable;
    prepare(slot);
  }

  @Override
  public final void sync(FlashFile file, long tag) {
    enter();
    prepare(claim(Operation.SYNC, targets.indexOf(file), tag, 0, 0));
  }

  @Override
  public final void discard(FlashFile file, long tag, long offset, long length) {
    enter();
    range(Operation.DISCARD, file, tag, offset, length, ZeroMode.UNMAP);
  }

  @Override
  public final void zero(FlashFile file, long tag, long offset, long length, ZeroMode mode) {
    enter();
    range(Operation.ZERO, file, tag, offset, length, Objects.requireNonNull(mode, "mode"));
  }

  private void range(
      Operation operation, FlashFile file, long tag, long offset, long length, ZeroMode mode) {
    Targets.checkWritable(file);
    int fileIndex = targets.indexOf(file);
    BaseFile target = targets.file(fileIndex);
    Targets.checkRange(operation, target, offset, length);
    Slot slot;
    try {
      long size = target.sizeBytes();
      if (offset + length > size) {
        throw new IllegalArgumentException(
            operation.label
                + " of "
                + length
                + " bytes at offset "
                + offset
                + " goes past the end of "
                + target
                + " at "
                + size);
      }
      slot = claim(operation, fileIndex, tag, offset, length);
      slot.zeroMode = mode;
      prepare(slot);
    } catch (FlashException e) {
      slot = claim(operation, fileIndex, tag, offset, length);
      slot.fail(e);
      complete(slot);
    }
  }

  @Override
  public final void submit() throws FlashException {
    enter();
    checkNotDelivering();
    harvest(0, 0);
  }

  @Override
  public final int poll(FlashCompletion completion) throws FlashException {
    enter();
    checkNotDelivering();
    Objects.requireNonNull(completion, "completion");
    harvest(0, 0);
    return deliver(completion);
  }

  @Override
  public final int await(int minimum, long timeoutNs, FlashCompletion completion)
      throws FlashException {
    enter();
    checkNotDelivering();
    Objects.requireNonNull(completion, "completion");
    if (minimum < 1 || minimum > slots.length) {
      throw new IllegalArgumentException(
          "can wait for 1 to " + slots.length + " completions, not " + minimum);
    }
    if (timeoutNs < 0 || timeoutNs > TIMEOUT_NS_MAX) {
      throw new IllegalArgumentException(
          "can wait for 0 to " + TIMEOUT_NS_MAX + " ns, not " + timeoutNs);
    }
    long begin = System.nanoTime();
    long leftNs = timeoutNs;
    int delivered = 0;
    boolean woken;
    do {
      int wanted = inFlight() == 0 ? 1 : Math.min(minimum - delivered, inFlight());
      woken = harvest(Math.max(0, wanted - completedCount), leftNs);
      delivered += deliver(completion);
      if (delivered >= minimum || woken || (delivered > 0 && inFlight() == 0)) {
        return delivered;
      }
      leftNs = timeoutNs - (System.nanoTime() - begin);
    } while (leftNs > 0);
    return delivered;
  }

  @Override
  public final boolean closed() {
    return closed;
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    owner.inherit();
    checkNotDelivering();
    closed = true;
    cleanable.clean();
  }

  /** Enters any method of the owner's. */
  private void enter() {
    owner.enter();
    if (closed) {
      throw new IllegalStateException("the queue is closed");
    }
  }

  private void checkNotDelivering() {
    if (delivering) {
      throw new IllegalStateException("a completion may prepare operations, but not wait or close");
    }
  }

  private Slot claim(Operation operation, int fileIndex, long tag, long offset, long length) {
    if (freeCount == 0) {
      throw new IllegalStateException(
          "all " + slots.length + " operations of the queue are in flight: await some first");
    }
    Slot slot = slots[freeSlots[--freeCount]];
    slot.operation = operation;
    slot.fileIndex = fileIndex;
    slot.file = targets.file(fileIndex);
    slot.tag = tag;
    slot.offset = offset;
    slot.length = length;
    slot.done = 0;
    slot.durable = false;
    slot.zeroMode = null;
    slot.writesZeros = false;
    slot.tries = 0;
    slot.bytes = 0;
    slot.error = null;
    return slot;
  }

  private void unclaim(Slot slot) {
    slot.releaseBuffers();
    slot.file = null;
    freeSlots[freeCount++] = slot.index;
  }

  /** Puts a slot (again) in the line for the engine. */
  final void prepare(Slot slot) {
    prepared[preparedCount++] = slot.index;
  }

  final Slot slot(int index) {
    return slots[index];
  }

  /** How many slots are complete and not delivered. */
  final int completedCount() {
    return completedCount;
  }

  /** The engine is done with a slot, whose result is set. */
  final void complete(Slot slot) {
    completed[(completedFirst + completedCount++) % completed.length] = slot.index;
  }

  /** Each slot is free again before its completion is told, which may use it or throw. */
  private int deliver(FlashCompletion completion) {
    int delivered = 0;
    delivering = true;
    try {
      for (int i = completedCount; i > 0; i--) {
        Slot slot = slots[completed[completedFirst]];
        completedFirst = (completedFirst + 1) % completed.length;
        completedCount--;
        FlashException error = slot.error;
        slot.error = null;
        unclaim(slot);
        delivered++;
        completion.completed(slot.tag, slot.bytes, error);
      }
    } finally {
      delivering = false;
    }
    return delivered;
  }

  /**
   * Frees all in the order that is safe. When the engine cannot be stopped, its exception keeps
   * files and memory as they are for good.
   */
  private static final class Teardown implements Runnable {
    private static final Queue<Teardown> NEVER_FREED = new ConcurrentLinkedQueue<>();

    private final Slot[] slots;
    private final Targets targets;
    private final Runnable engine;

    Teardown(Slot[] slots, Targets targets, Runnable engine) {
      this.slots = slots;
      this.targets = targets;
      this.engine = engine;
    }

    @Override
    public void run() {
      try {
        engine.run();
      } catch (IllegalStateException e) {
        NEVER_FREED.add(this);
        LOG.error("a queue cannot be closed: {}", e.getMessage());
        throw e;
      }
      for (Slot slot : slots) {
        slot.releaseBuffers();
      }
      targets.release();
    }
  }
}
