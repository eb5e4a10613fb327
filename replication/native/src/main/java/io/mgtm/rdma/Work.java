package io.mgtm.rdma;

import io.mgtm.flash.AlignedBuffer;

/** One piece of work's place in a connection; reused. */
final class Work {

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
}
