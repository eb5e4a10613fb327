package io.mgtm.rdma;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * What the two sides of a channel tell each other when they connect, in the private data; 33 bytes,
 * big endian:
 *
 * <pre>
 *  0        4         6        8              12      13                33
 *  +--------+---------+--------+--------------+-------+-----------------+
 *  | "mgtR" | version | window | messageBytes | flags | remote memory   |
 *  +--------+---------+--------+--------------+-------+-----------------+
 * </pre>
 *
 * Flag 1 says that there is remote memory; without it the last 20 bytes are left out.
 *
 * @param window how many receives are posted
 * @param messageBytes the longest message
 * @param memory what the peer may write into
 */
record ChannelGreeting(int window, int messageBytes, Optional<RemoteMemory> memory) {

  private static final int MAGIC = 0x6d677452;
  private static final int VERSION = 1;
  private static final int HEAD_BYTES = 13;

  byte[] encode() {
    ByteBuffer target =
        ByteBuffer.allocate(HEAD_BYTES + (memory.isPresent() ? RemoteMemory.ENCODED_BYTES : 0));
    target.putInt(MAGIC).putShort((short) VERSION).putShort((short) window);
    target.putInt(messageBytes).put((byte) (memory.isPresent() ? 1 : 0));
    memory.ifPresent(it -> it.encode(target));
    return target.array();
  }

  /**
   * Reads it.
   *
   * @throws IllegalArgumentException when the peer speaks something else
   */
  static ChannelGreeting decode(byte[] bytes) {
    ByteBuffer source = ByteBuffer.wrap(bytes);
    if (bytes.length < HEAD_BYTES || source.getInt() != MAGIC) {
      throw new IllegalArgumentException("the peer is no channel of this kind");
    }
    int version = source.getShort();
    if (version != VERSION) {
      throw new IllegalArgumentException("the peer has version " + version + ", not " + VERSION);
    }
    int window = source.getShort() & 0xffff;
    int messageBytes = source.getInt();
    boolean open = (source.get() & 1) != 0;
    if (window < CreditWindow.WINDOW_MIN || messageBytes < 1) {
      throw new IllegalArgumentException(
          "the peer has a window of " + window + " messages of " + messageBytes + " bytes");
    }
    return new ChannelGreeting(
        window, messageBytes, open ? Optional.of(RemoteMemory.decode(source)) : Optional.empty());
  }
}
