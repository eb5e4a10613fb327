package io.mgtm.gtm.gateway;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.CommandCodec;
import io.mgtm.gtm.wire.link.LinkFormat;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;

/** Encodes commands, one at a time, in a buffer that grows with them. Event loop. */
final class CommandBuffer {
  private static final int BYTES_FIRST = 4 * 1024;

  private ByteBuffer encoded = ByteBuffer.allocate(BYTES_FIRST);

  /**
   * A command as it stands in a frame; valid until the next call.
   *
   * @throws BufferOverflowException when no frame has room for it
   */
  ByteBuffer encode(short backend, Command command) {
    while (true) {
      try {
        encoded.clear().putShort(backend);
        CommandCodec.encode(command, encoded);
        return encoded.flip();
      } catch (BufferOverflowException e) {
        if (encoded.capacity() >= LinkFormat.FRAME_BYTES_MAX) {
          throw e;
        }
        encoded = ByteBuffer.allocate(2 * encoded.capacity());
      }
    }
  }
}
