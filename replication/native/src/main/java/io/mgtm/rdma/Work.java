package io.mgtm.rdma;

import io.mgtm.flash.AlignedBuffer;

/** One piece of work's place in a connection; reused. */
final class Work {
  private static final RdmaWork[] KINDS = {
    null, RdmaWork.SENT, RdmaWork.RECEIVED, RdmaWork.RECEIVED_IMMEDIATE, RdmaWork.WRITTEN
  };

  final int index;
  int operation;
  long tag;
  AlignedBuffer buffer;
  RdmaWork kind;
  int bytes;
  int immediate;
  RdmaException error;

  Work(int index) {
    this.index = index;
  }

  boolean receives() {
    return operation == TransferCalls.RECEIVE;
  }

  void releaseBuffer() {
    AlignedBuffer held = buffer;
    buffer = null;
    if (held != null) {
      held.release();
    }
  }

  /** It has succeeded, as the answer at {@code position} says. */
  void succeeded(WorkArea area, int position) {
    bytes = receives() ? area.bytes(position) : 0;
    immediate = area.immediate(position);
    kind = KINDS[area.kind(position)];
  }

  /** {@code what} has failed: a negative error of the system, or a status of the device. */
  void failed(String what, int status) {
    error =
        status < 0
            ? new RdmaException(what, -status)
            : new RdmaException(what, WorkStatus.of(status));
  }
}
