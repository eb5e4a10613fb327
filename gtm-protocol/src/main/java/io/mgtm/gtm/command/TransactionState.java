package io.mgtm.gtm.command;

/** GTM_TransactionStates. */
public enum TransactionState {
  STARTING(0),
  IN_PROGRESS(1),
  PREPARE_IN_PROGRESS(2),
  PREPARED(3),
  COMMIT_IN_PROGRESS(4),
  COMMITTED(5),
  ABORT_IN_PROGRESS(6),
  ABORTED(7);

  private static final TransactionState[] BY_CODE = values();

  private final int code;

  TransactionState(int code) {
    this.code = code;
  }

  /** The value on the wire and in the log. */
  public int code() {
    return code;
  }

  /** The state of a wire or log value, or null when there is none. */
  public static TransactionState ofCode(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /** Whether a transaction in this state stays when its session goes. */
  public boolean outlivesSession() {
    return this == PREPARE_IN_PROGRESS || this == PREPARED;
  }
}
