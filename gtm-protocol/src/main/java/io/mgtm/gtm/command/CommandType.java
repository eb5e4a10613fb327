package io.mgtm.gtm.command;

/** The kinds of command. The code stands in the log and never changes its meaning. */
public enum CommandType {
  RESTART(1),
  OPEN_SESSION(2),
  CLOSE_SESSION(3),
  DISCONNECT_BACKEND(4),
  NUMBERED(5),
  OPEN_FRONT(6),
  ANNOUNCE_MEMBER(7),
  SERVE_TERM(8),
  SKIP_AHEAD(9),

  BEGIN(10),
  BEGIN_MANY(11),
  ASSIGN_GXID(12),
  END(13),
  END_MANY(14),
  START_PREPARE(15),
  PREPARE(16),
  COMMIT_PREPARED(17),
  BEGIN_FOR_PREPARED(18),
  ADVANCE_OLDEST_GXID(19),
  GET_NEXT_GXID(20, true),
  GET_STATUS(21, true),
  LIST_TRANSACTIONS(22, true),
  LIST_PREPARED(23, true),
  START_GXIDS(24),

  GET_SNAPSHOT(30),
  GET_SNAPSHOT_MANY(31),
  ASSIGN_GXID_AND_GET_SNAPSHOT(32),

  INIT_SEQUENCE(40),
  NEXT_VALUE(41),
  LAST_VALUE(42, true),
  SET_VALUE(43),
  RESET_SEQUENCE(44),
  CLOSE_SEQUENCE(45),
  CLOSE_SEQUENCES_OF_DATABASE(46),
  RENAME_SEQUENCE(47),
  ALTER_SEQUENCE(48),
  LIST_SEQUENCES(49, true),
  RESTORE_SEQUENCE(50),

  REGISTER_NODE(60),
  UNREGISTER_NODE(61),
  LIST_NODES(62, true),

  BARRIER(70),
  BEGIN_BACKUP(71, true),
  END_BACKUP(72, true),
  LIST_BARRIERS(73, true);

  private static final CommandType[] BY_CODE = new CommandType[128];

  static {
    for (CommandType type : values()) {
      BY_CODE[type.code] = type;
    }
  }

  private final byte code;
  private final boolean query;

  CommandType(int code) {
    this(code, false);
  }

  CommandType(int code, boolean query) {
    this.code = (byte) code;
    this.query = query;
  }

  /** Whether it only asks, and never stands in the log. */
  public boolean query() {
    return query;
  }

  /** Whether its answer is a list, as long as the state has it. */
  public boolean lists() {
    return switch (this) {
      case LIST_TRANSACTIONS, LIST_PREPARED, LIST_SEQUENCES, LIST_NODES, LIST_BARRIERS -> true;
      default -> false;
    };
  }

  public byte code() {
    return code;
  }

  /** The type of a log code, or null when this version has none. */
  public static CommandType ofCode(byte code) {
    return code >= 0 ? BY_CODE[code] : null;
  }
}
