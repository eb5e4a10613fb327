package io.mgtm.gtm.state;

import java.nio.ByteBuffer;
import java.util.Arrays;

/** A buffer that grows; {@link #reserve} before each put. */
final class CheckpointBuffer {
  private ByteBuffer buffer = ByteBuffer.allocate(64 * 1024);

  /** The buffer with room for {@code bytes} more. */
  ByteBuffer reserve(int bytes) {
    if (buffer.remaining() < bytes) {
      int capacity = Math.addExact(Math.max(buffer.capacity() * 2, buffer.position()), bytes);
      ByteBuffer larger = ByteBuffer.allocate(capacity);
      larger.put(buffer.flip());
      buffer = larger;
    }
    return buffer;
  }

  byte[] toBytes() {
    return Arrays.copyOf(buffer.array(), buffer.position());
  }
}
