package io.mgtm.gtm.wire.xc12;

/**
 * GTM_ResultType of Postgres-XC 1.2.1 (src/include/gtm/gtm_msg.h), in its order: what a server's
 * {@code 'S'} frame answers. Codes from 10,000 are mgtm's own.
 */
public enum ResultType {
  SYNC_STANDBY(0),
  NODE_REGISTER(1),
  NODE_UNREGISTER(2),
  NODE_LIST(3),
  NODE_BEGIN_REPLICATION_INIT(4),
  NODE_END_REPLICATION_INIT(5),
  BEGIN_BACKUP(6),
  END_BACKUP(7),
  TXN_BEGIN(8),
  TXN_BEGIN_GETGXID(9),
  TXN_BEGIN_GETGXID_MULTI(10),
  TXN_PREPARE(11),
  TXN_START_PREPARED(12),
  TXN_COMMIT_PREPARED(13),
  TXN_COMMIT(14),
  TXN_COMMIT_MULTI(15),
  TXN_ROLLBACK(16),
  TXN_ROLLBACK_MULTI(17),
  TXN_GET_GID_DATA(18),
  TXN_GET_GXID(19),
  TXN_GET_NEXT_GXID(20),
  TXN_GXID_LIST(21),
  SNAPSHOT_GET(22),
  SNAPSHOT_GET_MULTI(23),
  SNAPSHOT_GXID_GET(24),
  SEQUENCE_INIT(25),
  SEQUENCE_GET_NEXT(26),
  SEQUENCE_GET_LAST(27),
  SEQUENCE_SET_VAL(28),
  SEQUENCE_RESET(29),
  SEQUENCE_CLOSE(30),
  SEQUENCE_RENAME(31),
  SEQUENCE_ALTER(32),
  SEQUENCE_LIST(33),
  TXN_GET_STATUS(34),
  TXN_GET_ALL_PREPARED(35),
  TXN_BEGIN_GETGXID_AUTOVACUUM(36),
  BARRIER(37),
  MGTM_ADVANCE_OLDEST_GXID(10_001),
  MGTM_BARRIER_LIST(10_002);

  private final int code;

  ResultType(int code) {
    this.code = code;
  }

  /** The value on the wire. */
  public int code() {
    return code;
  }

  /** The type of a wire value, or null when there is none. */
  public static ResultType ofCode(int code) {
    for (ResultType type : values()) {
      if (type.code == code) {
        return type;
      }
    }
    return null;
  }
}
