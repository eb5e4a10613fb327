package io.mgtm.gtm.state;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Collects what is put into pieces, and hands each on when it is full. */
final class CheckpointBuffer {
  private static final int PIECE_BYTES = 256 << 10;

  private final Consumer<ByteBuffer> pieces;
  private ByteBuffer buffer = ByteBuffer.allocate(PIECE_BYTES);

  CheckpointBuffer(Consumer<ByteBuffer> pieces) {
    this.pieces = pieces;
  }

  /** A buffer with room for {@code bytes}; to be asked for before what is put next. */
  ByteBuffer reserve(int bytes) {
    if (buffer.remaining() < bytes) {
      flush();
      if (buffer.remaining() < bytes) {
        buffer = ByteBuffer.allocate(bytes);
      }
    }
    return buffer;
  }

  /** Hands on what is left. */
  void flush() {
    if (buffer.position() > 0) {
      pieces.accept(buffer.flip());
      buffer.clear();
    }
  }
}
