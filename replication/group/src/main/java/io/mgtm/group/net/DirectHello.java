package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.UUID;

/**
 * What a process says first over a link that it made.
 *
 * <pre>
 * | bytes:i32 | version:u8 | from:u128 | to:u128 | cluster, UTF-8 |
 * </pre>
 *
 * <p>Processes are known by the ids of their JGroups addresses, anew at each start, so that nothing
 * meant for a process that was there before is taken by the next.
 */
record DirectHello(String cluster, UUID from) {
  private static final byte VERSION = 1;
  static final int BYTES_MAX = 1024;

  private static final int ID_BYTES = 2 * Long.BYTES;

  /** The frame of this hello to a process. */
  ByteBuf encode(ByteBufAllocator alloc, UUID to) {
    byte[] name = cluster.getBytes(UTF_8);
    ByteBuf frame = alloc.buffer(Integer.BYTES + 1 + 2 * ID_BYTES + name.length);
    frame.writeInt(1 + 2 * ID_BYTES + name.length).writeByte(VERSION);
    frame.writeLong(from.getMostSignificantBits()).writeLong(from.getLeastSignificantBits());
    frame.writeLong(to.getMostSignificantBits()).writeLong(to.getLeastSignificantBits());
    return frame.writeBytes(name);
  }

  /**
   * Reads a frame without its length.
   *
   * @param self the process that reads it
   * @throws IllegalArgumentException when it is none for this process and cluster
   */
  static DirectHello decode(ByteBuf frame, String cluster, UUID self) {
    if (frame.readableBytes() < 1 + 2 * ID_BYTES || frame.readableBytes() > BYTES_MAX) {
      throw new IllegalArgumentException("its first message has a wrong length");
    }
    byte version = frame.readByte();
    if (version != VERSION) {
      throw new IllegalArgumentException(
          "it speaks version %d, and this program %d".formatted(version, VERSION));
    }
    UUID from = new UUID(frame.readLong(), frame.readLong());
    UUID to = new UUID(frame.readLong(), frame.readLong());
    String named = frame.toString(UTF_8);
    if (!named.equals(cluster)) {
      throw new IllegalArgumentException("it is of a group with another name or mode");
    }
    if (!to.equals(self)) {
      throw new IllegalArgumentException("it looks for a process that is not here any more");
    }
    return new DirectHello(cluster, from);
  }
}
