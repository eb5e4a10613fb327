package io.mgtm.group.raft;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * What stands in an entry of jgroups-raft's log, big-endian.
 *
 * <pre>
 * COMMAND:    | 1:u8 | leadership:i64 | number:i64 | payload |
 * TERM_START: | 2:u8 | leadership:i64 | term:i64 | name |
 * ROUND:      | 3:u8 | leadership:i64 | ticket:i64 |
 * WELCOME:    | 4:u8 | process:2 x i64 |
 * </pre>
 *
 * @param leadership drawn at random for each leadership; says whose entry it is
 * @param number of a command: counted from 1 in the whole log; of a term start: the term; of a
 *     round: the reads' ticket
 * @param payload of a command: its bytes; of a term start: the leader's name
 */
record RaftEntry(Kind kind, long leadership, long number, ByteBuffer payload) {
  /** What an entry is for. */
  enum Kind {
    /** One entry of the replicated log. */
    COMMAND(1),
    /** A leader begins: commands of others that come after it are void. */
    TERM_START(2),
    /** Nothing but the commit of it is of interest: its leader led when it was appended. */
    ROUND(3),
    /** To a member with an empty folder: it has everything again that it may have had. */
    WELCOME(4);

    private final byte code;

    Kind(int code) {
      this.code = (byte) code;
    }

    private static Kind of(byte code) {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IllegalArgumentException("an entry of kind " + code);
    }
  }

  static final int HEADER_BYTES = 1 + 8 + 8;

  static RaftEntry command(long leadership, long number, ByteBuffer payload) {
    return new RaftEntry(Kind.COMMAND, leadership, number, payload);
  }

  static RaftEntry termStart(long leadership, long term, String name) {
    return new RaftEntry(Kind.TERM_START, leadership, term, ByteBuffer.wrap(name.getBytes(UTF_8)));
  }

  static RaftEntry round(long leadership, long ticket) {
    return new RaftEntry(Kind.ROUND, leadership, ticket, ByteBuffer.allocate(0));
  }

  /** The two halves of a process' random address take the places of leadership and number. */
  static RaftEntry welcome(long most, long least) {
    return new RaftEntry(Kind.WELCOME, most, least, ByteBuffer.allocate(0));
  }

  /** The leader's name, of a term start. */
  String name() {
    return UTF_8.decode(payload.duplicate()).toString();
  }

  byte[] encoded() {
    ByteBuffer to = ByteBuffer.allocate(HEADER_BYTES + payload.remaining());
    to.put(kind.code).putLong(leadership).putLong(number).put(payload.duplicate());
    return to.array();
  }

  /**
   * Reads an entry; its payload is a view of the bytes.
   *
   * @throws IllegalArgumentException when it is none of this version
   */
  static RaftEntry decode(ByteBuffer bytes) {
    try {
      ByteBuffer from = bytes.duplicate();
      return new RaftEntry(Kind.of(from.get()), from.getLong(), from.getLong(), from.slice());
    } catch (BufferUnderflowException e) {
      throw new IllegalArgumentException("an entry that is cut off", e);
    }
  }
}
