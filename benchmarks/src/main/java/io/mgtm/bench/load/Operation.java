package io.mgtm.bench.load;

import io.mgtm.gtm.wire.xc12.ResultType;

/** One request and its reply. */
public enum Operation {
  BEGIN(ResultType.TXN_BEGIN_GETGXID),
  SNAPSHOT(ResultType.SNAPSHOT_GET),
  COMMIT(ResultType.TXN_COMMIT),
  ROLLBACK(ResultType.TXN_ROLLBACK),
  NEXT_VALUE(ResultType.SEQUENCE_GET_NEXT);

  private final int resultCode;

  Operation(ResultType result) {
    this.resultCode = result.code();
  }

  /** The result type of its reply. */
  int resultCode() {
    return resultCode;
  }
}
