package io.mgtm.flash;

/** One operation's place in a {@link SlotQueue}; reused, so that an operation allocates nothing. */
final class Slot {

  /** What an operation does; the name is what messages say. */
  enum Operation {
    READ("read"),
    WRITE("write"),
    SYNC("sync"),
    DISCARD("discard"),
    ZERO("zero");

    final String label;

    Operation(String label) {
      this.label = label;
    }
  }

  final int index;
  Operation operation;
  long tag;
  BaseFile file;
  int fileIndex;
  long offset;
  long length;

  /** How much of the length is done: the kernel may do less than asked at a time. */
  long done;

  boolean durable;
  ZeroMode zeroMode;

  /** Whether a range is overwritten with zeros, as nothing quicker works. */
  boolean writesZeros;

  /** How often the kernel gave the operation up midway. */
  int tries;

  /**
   * The memory; only the first {@link #segments} are set. The arrays of a vector come on demand.
   */
  AlignedBuffer[] buffers = new AlignedBuffer[1];

  int[] starts = new int[1];
  int[] lengths = new int[1];
  int segments;

  int bytes;
  FlashException error;

  Slot(int index) {
    this.index = index;
  }

  void setBuffer(AlignedBuffer buffer, int start, int lengthBytes) {
    buffers[0] = buffer.retain();
    starts[0] = start;
    lengths[0] = lengthBytes;
    segments = 1;
  }

  void setVector(IoVector vector) {
    int count = vector.segments();
    if (buffers.length < count) {
      buffers = new AlignedBuffer[IoVector.SEGMENTS_MAX];
      starts = new int[IoVector.SEGMENTS_MAX];
      lengths = new int[IoVector.SEGMENTS_MAX];
    }
    for (int i = 0; i < count; i++) {
      buffers[i] = vector.buffers[i].retain();
      starts[i] = vector.starts[i];
      lengths[i] = vector.lengths[i];
      segments = i + 1;
    }
  }

  void releaseBuffers() {
    for (int i = 0; i < segments; i++) {
      AlignedBuffer buffer = buffers[i];
      buffers[i] = null;
      buffer.release();
    }
    segments = 0;
  }

  void fail(int code) {
    fail(new FlashException(operation.label, file.path(), place(), extent(), code));
  }

  void fail(FlashException cause) {
    bytes = 0;
    error = cause;
  }

  long place() {
    return operation == Operation.SYNC ? -1 : offset + done;
  }

  long extent() {
    return operation == Operation.SYNC ? -1 : length - done;
  }
}
