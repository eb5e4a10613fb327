package io.mgtm.rdma;

/** Why a device gave up a piece of work: ibv_wc_status of libibverbs' verbs.h, in its order. */
public enum WorkStatus {
  /** It is done. */
  SUCCESS("success"),
  /** The message is longer than a receive's memory. */
  LOC_LEN_ERR("the message is longer than the memory for it"),
  /** The queue pair is in no state to do it. */
  LOC_QP_OP_ERR("the queue pair cannot do it in its state"),
  /** An end-to-end context is wrong. */
  LOC_EEC_OP_ERR("the end-to-end context is wrong"),
  /** The memory is not registered for it. */
  LOC_PROT_ERR("the local memory is not registered for it"),
  /** It was still posted when the connection broke or was closed. */
  WR_FLUSH_ERR("the connection ended before it was done"),
  /** A memory window is wrong. */
  MW_BIND_ERR("the memory window is wrong"),
  /** The peer's answer makes no sense. */
  BAD_RESP_ERR("the peer's answer makes no sense"),
  /** The local memory is not registered for what arrived. */
  LOC_ACCESS_ERR("the local memory is not registered for what arrived"),
  /** The peer took the message for wrong. */
  REM_INV_REQ_ERR("the peer has no memory of this length posted"),
  /** The remote memory is not registered for it. */
  REM_ACCESS_ERR("the peer's memory is not open for it"),
  /** The peer could not do it. */
  REM_OP_ERR("the peer could not do it"),
  /** The peer did not acknowledge it. */
  RETRY_EXC_ERR("the peer did not acknowledge it; look at the path to it"),
  /** The peer had no receive posted for too long. */
  RNR_RETRY_EXC_ERR("the peer had no receive posted for too long"),
  /** A domain is wrong. */
  LOC_RDD_VIOL_ERR("the reliable datagram domain is wrong"),
  /** A request is wrong. */
  REM_INV_RD_REQ_ERR("the reliable datagram request is wrong"),
  /** The peer gave up. */
  REM_ABORT_ERR("the peer gave up"),
  /** A number is wrong. */
  INV_EECN_ERR("the end-to-end context's number is wrong"),
  /** A state is wrong. */
  INV_EEC_STATE_ERR("the end-to-end context's state is wrong"),
  /** The device is broken. */
  FATAL_ERR("the device is broken"),
  /** The device did not answer in time. */
  RESP_TIMEOUT_ERR("the device did not answer in time"),
  /** Something else. */
  GENERAL_ERR("the device gives no reason");

  private static final WorkStatus[] BY_CODE = values();

  private final String text;

  WorkStatus(String text) {
    this.text = text;
  }

  /** What it means. */
  public String text() {
    return text;
  }

  static WorkStatus of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : GENERAL_ERR;
  }
}
