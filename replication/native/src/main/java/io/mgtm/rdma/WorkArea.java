package io.mgtm.rdma;

import io.mgtm.jni.Memory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The memory through which a connection and its C part speak: see rdma_transfer.c. */
final class WorkArea {

  private final ByteBuffer area;
  private final int submittedAt;
  private final int answersAt;

  WorkArea(int depth) {
    submittedAt = depth * TransferCalls.RECORD_BYTES;
    answersAt = submittedAt + (depth + depth % 2) * Integer.BYTES;
    area =
        ByteBuffer.allocateDirect(answersAt + depth * TransferCalls.ANSWER_BYTES)
            .order(ByteOrder.nativeOrder());
  }

  long address() {
    return Memory.address(area);
  }

  void setLocal(int slot, int operation, long address, int length, int localKey) {
    int at = slot * TransferCalls.RECORD_BYTES;
    area.putInt(at, operation);
    area.putInt(at + 4, localKey);
    area.putLong(at + 8, address);
    area.putInt(at + 16, length);
  }

  void setRemote(int slot, int immediate, long remoteAddress, int remoteKey) {
    int at = slot * TransferCalls.RECORD_BYTES;
    area.putInt(at + 20, immediate);
    area.putLong(at + 24, remoteAddress);
    area.putInt(at + 32, remoteKey);
  }

  void setSubmitted(int position, int slot) {
    area.putInt(submittedAt + position * Integer.BYTES, slot);
  }

  int slot(int position) {
    return answer(position, 0);
  }

  int status(int position) {
    return answer(position, 4);
  }

  int kind(int position) {
    return answer(position, 8);
  }

  int bytes(int position) {
    return answer(position, 12);
  }

  int immediate(int position) {
    return answer(position, 16);
  }

  private int answer(int position, int field) {
    return area.getInt(answersAt + position * TransferCalls.ANSWER_BYTES + field);
  }
}
