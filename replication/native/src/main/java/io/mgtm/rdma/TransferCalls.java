package io.mgtm.rdma;

/** Work and its completion (rdma_transfer.c, which shows the area shared with {@link WorkArea}). */
final class TransferCalls {

  static final int RECORD_BYTES = 40;
  static final int ANSWER_BYTES = 24;

  static final int RECEIVE = 1;
  static final int SEND = 2;
  static final int SEND_IMMEDIATE = 3;
  static final int WRITE_IMMEDIATE = 4;

  static final int SENT = 1;
  static final int RECEIVED = 2;
  static final int RECEIVED_IMMEDIATE = 3;
  static final int WRITTEN = 4;

  /** Added to the answer when a wake-up ended the wait. */
  static final int WOKEN = 1 << 30;

  /** Added to the answer when the peer or the device left. */
  static final int LEFT = 1 << 29;

  private TransferCalls() {}

  static native int exchange(long connection, int submit, int minimum, long timeoutNs);
}
