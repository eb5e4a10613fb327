package io.mgtm.group.net;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import java.util.Optional;
import org.jgroups.util.ExtendedUUID;

/**
 * What both processes say first over a connection, the one that made it before the other.
 *
 * <pre>
 * | bytes:i32 | "mgtm" | version:u8 | process:u128 | place: text | name: text | cluster: text |
 * | secret: text |
 * text: | bytes:u8 | UTF-8 |
 * </pre>
 *
 * <p>A process is known by the id of its JGroups address, which is another at each start, so that
 * nothing meant for a process that was there before is taken by the next.
 *
 * @param from the process, with its member's name and where it listens
 * @param cluster the group's name, mode included
 * @param secret the fingerprint of the group's secret, "" where it has none; none from an earlier
 *     version, which does not tell
 */
record Hello(ExtendedUUID from, String cluster, Optional<String> secret) {
  /** Length, frame. */
  static final int BYTES_MAX = 1024;

  /** With what a member of an earlier version begins, read as a length. */
  private static final long EARLIER = 0x62656c61;

  private static final String EARLIER_VERSION =
      "it runs an earlier version, which members of this one do not talk to: stop all members, then"
          + " start them all with this version";

  private static final int MAGIC = 0x6d67746d;
  private static final byte VERSION = 1;
  private static final int TEXT_BYTES_MAX = 255;

  /** Of a group without a secret. */
  Hello(ExtendedUUID from, String cluster) {
    this(from, cluster, Optional.of(""));
  }

  /** Why a connection that begins with such a length is no member's. */
  static String whyNone(long length) {
    if (length == EARLIER) {
      return EARLIER_VERSION;
    }
    return RefusedTls.isTls(length) ? RefusedTls.ENCRYPTED : "it does not speak as a member";
  }

  /** The frame of this hello. */
  ByteBuf encode(ByteBufAllocator alloc) {
    ByteBuf frame = alloc.buffer(BYTES_MAX).writeInt(0).writeInt(MAGIC).writeByte(VERSION);
    frame.writeLong(from.getMostSignificantBits()).writeLong(from.getLeastSignificantBits());
    write(frame, MemberAddress.placeOf(from));
    write(frame, MemberAddress.nameOf(from));
    write(frame, cluster);
    secret.ifPresent(fingerprint -> write(frame, fingerprint));
    return frame.setInt(0, frame.readableBytes() - Integer.BYTES);
  }

  private static void write(ByteBuf frame, String text) {
    int at = frame.writerIndex();
    int bytes = ByteBufUtil.writeUtf8(frame.writeByte(0), text);
    if (bytes > TEXT_BYTES_MAX) {
      throw new IllegalArgumentException(text + " is longer than " + TEXT_BYTES_MAX + " bytes");
    }
    frame.setByte(at, bytes);
  }

  /**
   * Reads a frame without its length.
   *
   * @throws IllegalArgumentException when it is none of this version
   */
  static Hello decode(ByteBuf frame) {
    try {
      if (frame.readInt() != MAGIC) {
        throw new IllegalArgumentException("it does not speak as a member");
      }
      byte version = frame.readByte();
      if (version != VERSION) {
        throw new IllegalArgumentException(
            "it speaks version %d of the members' protocol, and this program version %d: stop all members, then start them all with one version"
                .formatted(version, VERSION));
      }
      long most = frame.readLong();
      ExtendedUUID id = new ExtendedUUID(most, frame.readLong());
      String place = read(frame);
      ExtendedUUID from = MemberAddress.with(id, read(frame), place);
      String cluster = read(frame);
      return new Hello(
          from, cluster, frame.isReadable() ? Optional.of(read(frame)) : Optional.empty());
    } catch (IndexOutOfBoundsException e) {
      throw new IllegalArgumentException("its first message ends too early", e);
    }
  }

  private static String read(ByteBuf frame) {
    String text = frame.readCharSequence(frame.readUnsignedByte(), UTF_8).toString();
    if (text.codePoints().anyMatch(Character::isISOControl)) {
      throw new IllegalArgumentException("its first message has control characters");
    }
    return text;
  }
}
