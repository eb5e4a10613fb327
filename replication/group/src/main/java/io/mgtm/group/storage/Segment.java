package io.mgtm.group.storage;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * One file of the log: a header, then records one after the other, then zeros. Little-endian.
 *
 * <pre>
 * header  0       8         12    16         24           32                 48         60
 *         | magic | version | 0   | sequence | firstIndex | member's UUID   | capacity | .. | crc32c |
 *
 * record  0        4        8       16     24             32
 *         | crc32c | length | index | term | durableIndex | payload | zeros to a multiple of 8 |
 * </pre>
 *
 * <p>The header's checksum covers the 60 bytes before it. A record's covers all from its length to
 * the payload's end and is mixed with a salt of member and sequence, so that neither a record of
 * another file nor a payload that looks like a record passes for one. {@code durableIndex} is the
 * highest index known to be on disk when the record was written.
 *
 * <p>A segment whose bytes are all zero has not been used yet. Written and read by the owner thread
 * only, apart from {@link #force} and {@link #wipe}.
 */
final class Segment {
  static final int VERSION = 1;
  static final int HEADER_BYTES = 64;
  static final int RECORD_HEADER_BYTES = 32;

  private static final long MAGIC = 0x31474F4C4D54474DL; // "MGTMLOG1"
  private static final int HEADER_CHECKSUM_AT = 60;

  private final long sequence;
  private final String name;
  private final UUID member;
  private final MappedFile file;
  private final ByteBuffer buffer;
  private final ByteBuffer checksumView;
  private final CRC32C crc = new CRC32C();
  private final int salt;
  private final int capacity;
  private volatile long firstIndex;

  /**
   * The record whose place {@link #offsetOf} told last; 0 for none. Who cuts the segment asks for
   * the place of the cut, so nothing before the known record changes.
   */
  private long knownIndex;

  private int knownOffset;

  Segment(long sequence, UUID member, MappedFile file) {
    this.sequence = sequence;
    this.name = FileNames.segment(sequence);
    this.member = member;
    this.file = file;
    this.buffer = file.buffer();
    this.checksumView = buffer.duplicate();
    this.capacity = buffer.capacity();
    long mixed =
        (member.getMostSignificantBits()
                ^ Long.rotateLeft(member.getLeastSignificantBits(), 17)
                ^ Long.rotateLeft(sequence, 41))
            * 0x9E3779B97F4A7C15L;
    this.salt = (int) (mixed >>> 32);
  }

  /** The bytes that a record of a payload takes. */
  static long recordBytes(long payloadBytes) {
    return (RECORD_HEADER_BYTES + payloadBytes + 7) & ~7L;
  }

  /** The largest payload that a segment of this size can hold. */
  static int payloadBytesMax(int segmentBytes) {
    return segmentBytes - HEADER_BYTES - RECORD_HEADER_BYTES;
  }

  long sequence() {
    return sequence;
  }

  String name() {
    return name;
  }

  int capacity() {
    return capacity;
  }

  /** The index of the first record that stands here or will; 0 while unused. */
  long firstIndex() {
    return firstIndex;
  }

  boolean fits(int offset, int payloadBytes) {
    return offset + recordBytes(payloadBytes) <= capacity;
  }

  /** Takes an unused segment into use. */
  void begin(long index) {
    buffer.putLong(0, MAGIC);
    buffer.putInt(8, VERSION);
    buffer.putLong(16, sequence);
    buffer.putLong(24, index);
    buffer.putLong(32, member.getMostSignificantBits());
    buffer.putLong(40, member.getLeastSignificantBits());
    buffer.putInt(48, capacity);
    buffer.putInt(HEADER_CHECKSUM_AT, crcOf(0, HEADER_CHECKSUM_AT));
    firstIndex = index;
    knownIndex = 0;
  }

  /**
   * Reads the header.
   *
   * @return false when it is damaged, torn or not written yet
   * @throws LogException with FORMAT when a newer version wrote it, with CORRUPT when it belongs to
   *     another member or file
   */
  boolean readHeader(String place) {
    if (capacity < HEADER_BYTES + RECORD_HEADER_BYTES
        || capacity % 8 != 0
        || buffer.getLong(0) != MAGIC
        || buffer.getInt(HEADER_CHECKSUM_AT) != crcOf(0, HEADER_CHECKSUM_AT)) {
      return false;
    }
    int version = buffer.getInt(8);
    if (version != VERSION) {
      throw new LogException(
          Category.FORMAT,
          "%s has log version %d and this program reads version %d; start the newer program"
              .formatted(place, version, VERSION));
    }
    UUID writer = new UUID(buffer.getLong(32), buffer.getLong(40));
    if (writer.equals(member) && capacity < buffer.getInt(48)) {
      throw LogException.damaged(
          "%s has %d bytes and was made with %d: it was cut"
              .formatted(place, capacity, buffer.getInt(48)));
    }
    if (!writer.equals(member)
        || buffer.getLong(16) != sequence
        || buffer.getInt(48) != capacity
        || buffer.getLong(24) <= 0) {
      throw LogException.damaged(
          ("%s is not the file that was written here (member %s, number %d, %d bytes): files were"
                  + " mixed up")
              .formatted(place, writer, buffer.getLong(16), buffer.getInt(48)));
    }
    firstIndex = buffer.getLong(24);
    return true;
  }

  /**
   * Writes a record of a payload in two parts that {@link #fits}.
   *
   * @return the offset behind it
   */
  int write(
      int offset, long index, long term, long durableIndex, ByteBuffer head, ByteBuffer rest) {
    int length = head.remaining() + rest.remaining();
    int at = offset + RECORD_HEADER_BYTES;
    buffer.putInt(offset + 4, length);
    buffer.putLong(offset + 8, index);
    buffer.putLong(offset + 16, term);
    buffer.putLong(offset + 24, durableIndex);
    buffer.put(at, head, head.position(), head.remaining());
    buffer.put(at + head.remaining(), rest, rest.position(), rest.remaining());
    buffer.putInt(offset, checksum(offset + 4, RECORD_HEADER_BYTES - 4 + length));
    return offset + (int) recordBytes(length);
  }

  /** The offset behind the sound record of {@code index} that stands here, or -1. */
  int recordEnd(int offset, long index) {
    int end = endByHeader(offset, index);
    boolean sound =
        end >= 0
            && buffer.getInt(offset)
                == checksum(offset + 4, RECORD_HEADER_BYTES - 4 + payloadBytes(offset));
    return sound ? end : -1;
  }

  /** As {@link #recordEnd}, of one whose payload may be damaged. */
  private int endByHeader(int offset, long index) {
    if (offset > capacity - RECORD_HEADER_BYTES || index(offset) != index) {
      return -1;
    }
    int length = payloadBytes(offset);
    return length < 0 || length > capacity - RECORD_HEADER_BYTES - offset
        ? -1
        : offset + (int) recordBytes(length);
  }

  long index(int offset) {
    return buffer.getLong(offset + 8);
  }

  long term(int offset) {
    return buffer.getLong(offset + 16);
  }

  long durableIndex(int offset) {
    return buffer.getLong(offset + 24);
  }

  int payloadBytes(int offset) {
    return buffer.getInt(offset + 4);
  }

  /** Points {@code view}, a duplicate of this segment's buffer, at the record's payload. */
  void limitToPayload(ByteBuffer view, int offset) {
    int from = offset + RECORD_HEADER_BYTES;
    view.limit(from + payloadBytes(offset)).position(from);
  }

  /**
   * The offset of the record of an index that is known to stand here, or of the one that comes
   * next. It walks there from the place that was asked for last, so that who reads on does not walk
   * all of the segment each time.
   *
   * @throws LogException with CORRUPT when a record on the way is not the one that was written
   */
  int offsetOf(long index) {
    boolean onwards = knownIndex > 0 && knownIndex <= index;
    int offset = onwards ? knownOffset : HEADER_BYTES;
    for (long at = onwards ? knownIndex : firstIndex; at < index; at++) {
      int end = endByHeader(offset, at);
      if (end < 0) {
        throw LogException.misread(name(), offset, at);
      }
      offset = end;
    }
    knownIndex = index;
    knownOffset = offset;
    return offset;
  }

  ByteBuffer readOnlyView() {
    return buffer.asReadOnlyBuffer();
  }

  /** The first byte at or after {@code from} that is not zero, or the capacity. */
  int firstNonZero(int from) {
    int at = from;
    while (at <= capacity - 8 && buffer.getLong(at) == 0) {
      at += 8;
    }
    while (at < capacity && buffer.get(at) == 0) {
      at++;
    }
    return at;
  }

  /** The offset behind the last byte at or after {@code from} that is not zero, or {@code from}. */
  int nonZeroEnd(int from) {
    int end = capacity;
    while (end - 8 >= from && buffer.getLong(end - 8) == 0) {
      end -= 8;
    }
    while (end > from && buffer.get(end - 1) == 0) {
      end--;
    }
    return end;
  }

  /** On return the bytes from {@code from} to the end are zeros on disk. */
  void wipe(int from) {
    file.zero(from, capacity - from);
    file.force(from, capacity - from);
    if (from == 0) {
      firstIndex = 0;
    }
  }

  /** Empties a segment and takes it into use, with its header on disk. */
  void restart(long index) {
    wipe(0);
    begin(index);
    file.force(0, HEADER_BYTES);
  }

  /** On return the bytes of a range are on disk, whatever the system believed before. */
  void rewrite(int from, int to) {
    if (to > from) {
      file.rewrite(from, to - from);
      file.force(from, to - from);
    }
  }

  void force(int from, int to) {
    if (to > from) {
      file.force(from, to - from);
    }
  }

  MappedFile file() {
    return file;
  }

  private int checksum(int from, int bytes) {
    return crcOf(from, bytes) ^ salt;
  }

  private int crcOf(int from, int bytes) {
    checksumView.limit(from + bytes).position(from);
    crc.reset();
    crc.update(checksumView);
    return (int) crc.getValue();
  }
}
