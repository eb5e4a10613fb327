package io.mgtm.query.order;

import java.nio.ByteBuffer;
import java.util.UUID;

/**
 * One transaction of an entry.
 *
 * @param slot the number that its session has to itself
 * @param effects what a server that misses it is to do; null where they were too many to be kept
 * @param token by which the server that led, and had prepared it before it was decided, tells that
 *     it has committed; null where none had
 * @param isCommitted whether a server has already committed it, and only has to note the number of
 *     its entry; false in the log
 */
public record Part(String database, int slot, ByteBuffer effects, UUID token, boolean isCommitted) {
  /** One that no server had prepared. */
  public Part(String database, int slot, ByteBuffer effects) {
    this(database, slot, effects, null);
  }

  /** One that a server has not committed yet. */
  public Part(String database, int slot, ByteBuffer effects, UUID token) {
    this(database, slot, effects, token, false);
  }

  /** What an entry needs for it at the most. */
  public int bytes() {
    int tokenBytes = token == null ? 0 : Codec.bytes(token.toString());
    return Codec.bytes(database)
        + 2 * Integer.BYTES
        + (effects == null ? 0 : effects.remaining())
        + tokenBytes;
  }

  void write(Codec.Out out, boolean withToken) {
    out.text(database).i32(slot);
    if (effects == null) {
      out.i32(-1);
    } else {
      out.i32(effects.remaining()).bytes(effects);
    }
    if (withToken) {
      out.text(token == null ? "" : token.toString());
    }
  }

  /** One that was written; its effects are a part of what is read. */
  static Part read(Codec.In in, boolean withToken) {
    String database = in.text();
    int slot = in.i32();
    int bytes = in.i32();
    ByteBuffer effects = bytes < 0 ? null : in.bytes(bytes);
    String token = withToken ? in.text() : "";
    return new Part(database, slot, effects, token.isEmpty() ? null : UUID.fromString(token));
  }

  /** The same with effects of its own. */
  Part copy() {
    ByteBuffer own = ByteBuffer.allocate(effects.remaining()).put(effects.duplicate()).flip();
    return new Part(database, slot, own, token);
  }

  /** The same, of whoever ends what a session has prepared. */
  public Part of(int otherSlot) {
    return new Part(database, otherSlot, effects, token);
  }

  /** The same for a server that has committed it and has not noted its number. */
  Part committed() {
    return new Part(database, slot, ByteBuffer.allocate(0), token, true);
  }
}
