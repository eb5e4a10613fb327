package io.mgtm.rdma;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A peer's memory that may be written into. On the wire 20 bytes, big endian:
 *
 * <pre>
 *  0        8         16     20
 *  +--------+---------+------+
 *  | address| length  | key  |
 *  +--------+---------+------+
 * </pre>
 *
 * @param address where it begins, in the peer's address space
 * @param lengthBytes its length
 * @param key what the peer's device wants to see
 */
public record RemoteMemory(long address, long lengthBytes, int key) {

  /** The length of the encoding in bytes. */
  public static final int ENCODED_BYTES = 20;

  /** Refuses a length that is no length. */
  public RemoteMemory {
    if (lengthBytes < 0) {
      throw new IllegalArgumentException("remote memory cannot have " + lengthBytes + " bytes");
    }
  }

  /** Writes it at a buffer's position. */
  public void encode(ByteBuffer target) {
    target.putLong(address).putLong(lengthBytes).putInt(key);
  }

  /**
   * Reads it from a buffer's position.
   *
   * @throws IllegalArgumentException when what is there cannot be one
   */
  public static RemoteMemory decode(ByteBuffer source) {
    if (source.remaining() < ENCODED_BYTES) {
      throw new IllegalArgumentException(
          "remote memory takes " + ENCODED_BYTES + " bytes, and there are " + source.remaining());
    }
    return new RemoteMemory(source.getLong(), source.getLong(), source.getInt());
  }

  /** The address of a piece, which must lie inside. */
  long addressOf(long offset, int length) {
    Objects.checkFromIndexSize(offset, length, lengthBytes);
    return address + offset;
  }
}
