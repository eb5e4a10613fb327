package io.mgtm.query.order;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Writes and reads numbers and texts. */
final class Codec {
  private static final byte VERSION = 1;
  private static final int BEGIN_BYTES = 256;

  private Codec() {}

  /** What a text needs at the most. */
  static int bytes(String text) {
    return Integer.BYTES + 3 * text.length();
  }

  /** Grows as it is written. */
  static final class Out {
    private ByteBuffer to = ByteBuffer.allocate(BEGIN_BYTES);

    private ByteBuffer room(int bytes) {
      if (to.remaining() < bytes) {
        int size = Math.max(2 * to.capacity(), to.position() + bytes);
        to = ByteBuffer.allocate(size).put(to.flip());
      }
      return to;
    }

    Out kind(int kind, long number) {
      room(2).put(VERSION).put((byte) kind);
      return i64(number);
    }

    Out u8(int value) {
      room(1).put((byte) value);
      return this;
    }

    Out i32(int value) {
      room(Integer.BYTES).putInt(value);
      return this;
    }

    Out i64(long value) {
      room(Long.BYTES).putLong(value);
      return this;
    }

    Out text(String value) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      i32(bytes.length);
      room(bytes.length).put(bytes);
      return this;
    }

    Out bytes(ByteBuffer value) {
      room(value.remaining()).put(value.duplicate());
      return this;
    }

    ByteBuffer done() {
      return to.flip();
    }
  }

  /** Reads what {@link Out} has written. */
  static final class In {
    private final ByteBuffer from;

    In(ByteBuffer from) {
      this.from = from.duplicate();
    }

    int kind() {
      byte version = from.get();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "an entry of version %d; this program knows %d".formatted(version, VERSION));
      }
      return from.get();
    }

    /** Whether there is more: what former versions wrote ends earlier. */
    boolean hasMore() {
      return from.hasRemaining();
    }

    int u8() {
      return from.get() & 0xff;
    }

    int i32() {
      return from.getInt();
    }

    long i64() {
      return from.getLong();
    }

    String text() {
      byte[] bytes = new byte[from.getInt()];
      from.get(bytes);
      return new String(bytes, StandardCharsets.UTF_8);
    }

    ByteBuffer bytes(int count) {
      ByteBuffer slice = from.slice(from.position(), count);
      from.position(from.position() + count);
      return slice;
    }
  }
}
