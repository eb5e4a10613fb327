package io.mgtm.gtm.wire;

/**
 * GTM_MessageType of Postgres-XC 1.2.1 (src/include/gtm/gtm_msg.h), in its order: what a client's
 * {@code 'C'} frame asks for. Codes from 10,000 are mgtm's own.
 */
public enum MessageType {
  INVALID(0),
  SYNC_STANDBY(1),
  NODE_REGISTER(2),
  BKUP_NODE_REGISTER(3),
  NODE_UNREGISTER(4),
  BKUP_NODE_UNREGISTER(5),
  NODE_LIST(6),
  NODE_BEGIN_REPLICATION_INIT(7),
  NODE_END_REPLICATION_INIT(8),
  BEGIN_BACKUP(9),
  END_BACKUP(10),
  TXN_BEGIN(11),
  BKUP_TXN_BEGIN(12),
  TXN_BEGIN_GETGXID(13),
  BKUP_TXN_BEGIN_GETGXID(14),
  TXN_BEGIN_GETGXID_MULTI(15),
  BKUP_TXN_BEGIN_GETGXID_MULTI(16),
  TXN_START_PREPARED(17),
  BKUP_TXN_START_PREPARED(18),
  TXN_COMMIT(19),
  BKUP_TXN_COMMIT(20),
  TXN_COMMIT_MULTI(21),
  BKUP_TXN_COMMIT_MULTI(22),
  TXN_COMMIT_PREPARED(23),
  BKUP_TXN_COMMIT_PREPARED(24),
  TXN_PREPARE(25),
  BKUP_TXN_PREPARE(26),
  TXN_ROLLBACK(27),
  BKUP_TXN_ROLLBACK(28),
  TXN_ROLLBACK_MULTI(29),
  BKUP_TXN_ROLLBACK_MULTI(30),
  TXN_GET_GID_DATA(31),
  TXN_GET_GXID(32),
  BKUP_TXN_GET_GXID(33),
  TXN_GET_NEXT_GXID(34),
  TXN_GXID_LIST(35),
  SNAPSHOT_GET(36),
  SNAPSHOT_GET_MULTI(37),
  SNAPSHOT_GXID_GET(38),
  SEQUENCE_INIT(39),
  BKUP_SEQUENCE_INIT(40),
  SEQUENCE_GET_NEXT(41),
  BKUP_SEQUENCE_GET_NEXT(42),
  SEQUENCE_GET_LAST(43),
  SEQUENCE_SET_VAL(44),
  BKUP_SEQUENCE_SET_VAL(45),
  SEQUENCE_RESET(46),
  BKUP_SEQUENCE_RESET(47),
  SEQUENCE_CLOSE(48),
  BKUP_SEQUENCE_CLOSE(49),
  SEQUENCE_RENAME(50),
  BKUP_SEQUENCE_RENAME(51),
  SEQUENCE_ALTER(52),
  BKUP_SEQUENCE_ALTER(53),
  SEQUENCE_LIST(54),
  TXN_GET_STATUS(55),
  TXN_GET_ALL_PREPARED(56),
  TXN_BEGIN_GETGXID_AUTOVACUUM(57),
  BKUP_TXN_BEGIN_GETGXID_AUTOVACUUM(58),
  DATA_FLUSH(59),
  BACKEND_DISCONNECT(60),
  BARRIER(61),
  BKUP_BARRIER(62),
  /** Moves the origin of the wraparound limits ahead. */
  MGTM_ADVANCE_OLDEST_GXID(10_001),
  /** Lists the barriers that are remembered. */
  MGTM_BARRIER_LIST(10_002);

  private static final int EXTENSION_FIRST = 10_000;
  private static final MessageType[] ORIGINAL = new MessageType[63];
  private static final MessageType[] EXTENSIONS = new MessageType[16];

  static {
    for (MessageType type : values()) {
      if (type.code < EXTENSION_FIRST) {
        ORIGINAL[type.code] = type;
      } else {
        EXTENSIONS[type.code - EXTENSION_FIRST] = type;
      }
    }
  }

  private final int code;

  MessageType(int code) {
    this.code = code;
  }

  /** The value on the wire. */
  public int code() {
    return code;
  }

  /** The type of a wire value, or null when there is none. */
  public static MessageType ofCode(int code) {
    if (code >= 0 && code < ORIGINAL.length) {
      return ORIGINAL[code];
    }
    int extension = code - EXTENSION_FIRST;
    return extension >= 0 && extension < EXTENSIONS.length ? EXTENSIONS[extension] : null;
  }
}
