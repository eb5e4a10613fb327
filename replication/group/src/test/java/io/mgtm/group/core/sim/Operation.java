package io.mgtm.group.core.sim;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * What a client asks for.
 *
 * @param sequence counts a client's changes; a repeated one has the same
 */
record Operation(Kind kind, int client, long sequence, int register, long value) {
  private static final int BYTES = 1 + 4 + 8 + 4 + 8;

  enum Kind {
    WRITE,
    WRITE_FORCED,
    ALLOCATE,
    READ;

    private static final List<Kind> ALL = List.of(values());
  }

  ByteBuffer encoded() {
    return ByteBuffer.allocate(BYTES)
        .put((byte) Kind.ALL.indexOf(kind))
        .putInt(client)
        .putLong(sequence)
        .putInt(register)
        .putLong(value)
        .flip();
  }

  static Operation decode(ByteBuffer payload) {
    ByteBuffer from = payload.duplicate();
    return new Operation(
        Kind.ALL.get(from.get()), from.getInt(), from.getLong(), from.getInt(), from.getLong());
  }
}
