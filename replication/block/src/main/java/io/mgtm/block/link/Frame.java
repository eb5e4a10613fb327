package io.mgtm.block.link;

/** Numbers of the link's frames. */
final class Frame {
  static final int MAGIC = 0x4d564c31;
  static final int HEADER_BYTES = 36;
  static final int CRC_AT = 32;

  static final int HELLO = 1;
  static final int WELCOME = 2;
  static final int REFUSE = 3;
  static final int BITS = 4;
  static final int WRITE = 5;
  static final int ZERO = 6;
  static final int FLUSH = 7;
  static final int CHECKSUM_REQUEST = 8;
  static final int SYNC_START = 9;
  static final int SYNC_DONE = 10;
  static final int GENERATIONS = 11;
  static final int RESIZE = 12;
  static final int ACK = 13;
  static final int CHECKSUM = 14;
  static final int PING = 15;
  static final int ERROR = 16;
  static final int HANDOVER = 17;
  static final int OUTDATED = 18;
  static final int AUTH = 19;
  static final int ASK = 20;
  static final int TESTIMONY = 21;
  static final int READ = 22;
  static final int DATA = 23;
  static final int TYPE_MAX = 23;

  static final int FLAG_FUA = 1;
  static final int FLAG_UNMAP = 2;
  static final int FLAG_LZ4 = 4;
  static final int FLAG_ZSTD = 8;

  /** On FLUSH and with FUA: what follows is written only once this is durable. */
  static final int FLAG_ORDERED = 16;

  /** The largest payload, and the largest range of a WRITE. */
  static final int PAYLOAD_BYTES_MAX = 33 << 20;

  /** The largest text or identity. */
  static final int TEXT_BYTES_MAX = 64 * 1024;

  /** The longest reason for which a connection ends. */
  static final int ERROR_BYTES_MAX = 4096;

  private Frame() {}

  /** How long a payload of this type may be; a limit before anything is allocated. */
  static int payloadBytesMax(int type) {
    return switch (type) {
      case AUTH -> Authentication.PAYLOAD_BYTES_MAX;
      case ERROR -> ERROR_BYTES_MAX;
      case HELLO, WELCOME, REFUSE, ASK, TESTIMONY, SYNC_START, SYNC_DONE, GENERATIONS ->
          TEXT_BYTES_MAX;
      case BITS -> 8 * LinkWriter.BITS_RUNS_MAX;
      case WRITE, DATA -> PAYLOAD_BYTES_MAX;
      case ACK -> 24;
      case CHECKSUM -> 64;
      default -> 0;
    };
  }
}
