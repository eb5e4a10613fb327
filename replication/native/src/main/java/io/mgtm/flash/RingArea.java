package io.mgtm.flash;

import io.mgtm.jni.Memory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The memory through which a queue and its ring speak: see ring.c. Owner thread only. */
final class RingArea {

  private static final int VECTOR_BYTES = 16;

  private final int depth;
  private final ByteBuffer area;
  private final int submittedAt;
  private final int answersAt;

  /** Room for each slot's pieces, which the kernel reads; allocated by the first vector. */
  private ByteBuffer vectors;

  private long vectorsAddress;

  RingArea(int depth) {
    this.depth = depth;
    submittedAt = depth * RingCalls.RECORD_BYTES;
    answersAt = submittedAt + (depth + depth % 2) * Integer.BYTES;
    area = allocate(answersAt + (depth + 1) * RingCalls.ANSWER_BYTES);
  }

  long address() {
    return Memory.address(area);
  }

  void setRecord(
      int slot,
      int operation,
      int file,
      long offset,
      long address,
      long length,
      int flags,
      int pool) {
    int at = slot * RingCalls.RECORD_BYTES;
    area.putInt(at, operation);
    area.putInt(at + 4, file);
    area.putLong(at + 8, offset);
    area.putLong(at + 16, address);
    area.putLong(at + 24, length);
    area.putInt(at + 32, flags);
    area.putInt(at + 36, pool);
  }

  void setSubmitted(int position, int slot) {
    area.putInt(submittedAt + position * Integer.BYTES, slot);
  }

  int answerSlot(int position) {
    return area.getInt(answersAt + position * RingCalls.ANSWER_BYTES);
  }

  int answerResult(int position) {
    return area.getInt(answersAt + position * RingCalls.ANSWER_BYTES + 4);
  }

  /** Where a slot's pieces begin. */
  long vectorAddress(int slot) {
    if (vectors == null) {
      vectors = allocate(depth * IoVector.SEGMENTS_MAX * VECTOR_BYTES);
      vectorsAddress = Memory.address(vectors);
    }
    return vectorsAddress + (long) slot * IoVector.SEGMENTS_MAX * VECTOR_BYTES;
  }

  /** Sets one piece; {@link #vectorAddress} was called before. */
  void setPiece(int slot, int piece, long address, long length) {
    int at = (slot * IoVector.SEGMENTS_MAX + piece) * VECTOR_BYTES;
    vectors.putLong(at, address);
    vectors.putLong(at + 8, length);
  }

  private static ByteBuffer allocate(int bytes) {
    return ByteBuffer.allocateDirect(bytes).order(ByteOrder.nativeOrder());
  }
}
