package io.mgtm.group.quorumdisk;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.mgtm.group.core.MemberId;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/**
 * The bytes of a quorum disk, as they were read at one time.
 *
 * <pre>
 * | header | header | slot 0 | slot 1 | … |    slot: | half | half |
 *
 * header, half (8 KiB): | magic:i64 | version:i32 | number:i64 | bytes:i32 | content | crc32c:i32 |
 * content of a header:  | disk:u128 | bytes:u8 | cluster | slots:u8 | bytes:u8 | name | … |
 * content of a half:    {@link Words}, or nothing: content 0 of each slot
 * </pre>
 *
 * <p>Big-endian; the checksum covers all before it. Content <i>n</i> goes into half <i>n</i> mod 2,
 * so that what tears it leaves the one before. A slot belongs to one data folder of the node that
 * the header names, for good: a machine that takes the node's place gets another slot, and what was
 * said in the former still counts.
 *
 * @param header its number
 * @param disk drawn when the disk was made
 * @param cluster whose it is
 * @param nodes by slot
 * @param said by slot
 */
record DiskImage(long header, UUID disk, String cluster, List<String> nodes, List<Said> said) {
  static final int HALF_BYTES = 8 << 10;
  static final int SLOTS_MAX = 30;
  static final int BYTES = (2 + 2 * SLOTS_MAX) * HALF_BYTES;

  private static final long MAGIC = 0x4D47544D51444953L; // "MGTMQDIS"
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = Long.BYTES + Integer.BYTES + Long.BYTES + Integer.BYTES;
  static final int CONTENT_BYTES_MAX = HALF_BYTES - HEADER_BYTES - Integer.BYTES;

  /** The number of a slot's newest content, and the words that it is, empty for none yet. */
  record Said(long number, Optional<Words> words) {}

  private record Numbered(long number, ByteBuffer content) {}

  /** Where the content of a number is to be written. */
  static int offset(int slot, long number) {
    return (2 + 2 * slot + (int) (number & 1)) * HALF_BYTES;
  }

  /** Where a header of a number is to be written. */
  static int headerOffset(long number) {
    return (int) (number & 1) * HALF_BYTES;
  }

  /** A half, or a header, with a content. */
  static ByteBuffer half(long number, byte[] content) {
    ByteBuffer half = ByteBuffer.allocate(HALF_BYTES);
    half.putLong(MAGIC).putInt(VERSION).putLong(number).putInt(content.length).put(content);
    half.putInt(checksum(half.duplicate().flip()));
    return half.clear();
  }

  /** The content of a header. */
  static byte[] header(UUID disk, String cluster, List<String> nodes) {
    ByteBuffer to = ByteBuffer.allocate(CONTENT_BYTES_MAX);
    to.putLong(disk.getMostSignificantBits()).putLong(disk.getLeastSignificantBits());
    put(cluster, to);
    to.put((byte) nodes.size());
    nodes.forEach(node -> put(node, to));
    return Arrays.copyOf(to.array(), to.position());
  }

  private static void put(String text, ByteBuffer to) {
    byte[] bytes = text.getBytes(UTF_8);
    if (bytes.length > 255) {
      throw new IllegalArgumentException("the name \"%s\" is too long".formatted(text));
    }
    to.put((byte) bytes.length).put(bytes);
  }

  private static String text(ByteBuffer from) {
    byte[] bytes = new byte[Byte.toUnsignedInt(from.get())];
    from.get(bytes);
    return new String(bytes, UTF_8);
  }

  /**
   * What bytes mean that were read from the beginning of a disk.
   *
   * @throws DamageException when it is no quorum disk, or damaged
   */
  static DiskImage of(ByteBuffer bytes) throws DamageException {
    Header header = headerIn(bytes);
    List<String> nodes = header.nodes();
    List<Said> words = new ArrayList<>();
    for (int slot = 0; slot < nodes.size(); slot++) {
      Optional<Numbered> found = newest(bytes, 2 + 2 * slot);
      words.add(said(found, nodes.get(slot)));
    }
    return new DiskImage(
        header.number(), header.disk(), header.cluster(), nodes, List.copyOf(words));
  }

  /** How many slots there are of a disk whose header has been read. */
  static int slots(ByteBuffer bytes) throws DamageException {
    return headerIn(bytes).nodes().size();
  }

  private record Header(long number, UUID disk, String cluster, List<String> nodes) {}

  private static Header headerIn(ByteBuffer bytes) throws DamageException {
    Numbered newest =
        newest(bytes, 0)
            .orElseThrow(
                () -> new DamageException("it is no quorum disk; make one of it, see docs/ha.md"));
    ByteBuffer from = newest.content();
    UUID disk = new UUID(from.getLong(), from.getLong());
    String cluster = text(from);
    List<String> nodes = new ArrayList<>();
    for (int left = Byte.toUnsignedInt(from.get()); left > 0; left--) {
      nodes.add(text(from));
    }
    return new Header(newest.number(), disk, cluster, List.copyOf(nodes));
  }

  private static Said said(Optional<Numbered> found, String node) throws DamageException {
    if (found.isEmpty()) {
      throw new DamageException(
          "what %s wrote on it is damaged, and without it the disk could vote twice; make it anew, see docs/ha.md"
              .formatted(node));
    }
    ByteBuffer content = found.get().content();
    try {
      return new Said(
          found.get().number(),
          content.hasRemaining() ? Optional.of(Words.decode(content)) : Optional.empty());
    } catch (IllegalArgumentException | BufferUnderflowException e) {
      throw new DamageException("this version cannot read what %s wrote on it".formatted(node), e);
    }
  }

  /** Empty when neither half can be read. */
  private static Optional<Numbered> newest(ByteBuffer bytes, int half) throws DamageException {
    Optional<Numbered> first = content(bytes, half);
    Optional<Numbered> second = content(bytes, half + 1);
    boolean isSecond =
        second.isPresent() && (first.isEmpty() || second.get().number() > first.get().number());
    return isSecond ? second : first;
  }

  private static Optional<Numbered> content(ByteBuffer bytes, int half) throws DamageException {
    ByteBuffer slice = bytes.slice(half * HALF_BYTES, HALF_BYTES);
    boolean ours = slice.getLong() == MAGIC;
    int version = slice.getInt();
    long number = slice.getLong();
    int size = slice.getInt();
    if (!ours || size < 0 || size > CONTENT_BYTES_MAX) {
      return Optional.empty();
    }
    ByteBuffer summed = slice.duplicate().position(0).limit(HEADER_BYTES + size);
    if (slice.getInt(HEADER_BYTES + size) != checksum(summed)) {
      return Optional.empty();
    }
    if (version != VERSION) {
      throw new DamageException(
          "it has version %d, and this program reads %d; start the newer program"
              .formatted(version, VERSION));
    }
    return Optional.of(new Numbered(number, slice.slice(HEADER_BYTES, size)));
  }

  private static int checksum(ByteBuffer bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  /**
   * Whether a node of another name has written on it. A group that begins on two disks would be two
   * groups, so that one is founded only once both have written on one.
   */
  boolean isUsedBeside(String node) {
    for (int slot = 0; slot < nodes.size(); slot++) {
      if (!nodes.get(slot).equals(node) && said.get(slot).words().isPresent()) {
        return true;
      }
    }
    return false;
  }

  /** Whether a member may have written that on it; of another disk it is not asked. */
  boolean shows(DiskMark of) {
    return !disk.equals(of.disk())
        || (of.slot() < said.size() && said.get(of.slot()).number() >= of.number());
  }

  /** What is written in a slot. */
  DiskMark mark(int slot) {
    return new DiskMark(disk, nodes.get(slot), slot, said.get(slot).number());
  }

  /** What is written in each slot. */
  Stream<DiskMark> marks() {
    return IntStream.range(0, said.size()).mapToObj(this::mark);
  }

  /** Whether the group has it vote, as far as it has been told. */
  boolean votes() {
    MemberId self = new MemberId(QuorumDisk.MEMBER, disk);
    return said.stream()
        .flatMap(each -> each.words().stream())
        .max(Comparator.comparing(Words::version))
        .filter(words -> words.position().membership().isVoter(self))
        .isPresent();
  }

  /** The slot of a node: the newest that has its name; -1 for none. */
  int slotOf(String node) {
    return nodes.lastIndexOf(node);
  }

  /** Whether all slots but one say what binds to the same as in an earlier image. */
  boolean othersBindAs(DiskImage before, int own) {
    if (!disk.equals(before.disk) || said.size() != before.said.size()) {
      return false;
    }
    for (int slot = 0; slot < said.size(); slot++) {
      Optional<Words> then = before.said.get(slot).words();
      Optional<Words> now = said.get(slot).words();
      boolean same =
          then.isPresent() == now.isPresent() && (now.isEmpty() || now.get().bindAs(then.get()));
      if (slot != own && !same) {
        return false;
      }
    }
    return true;
  }

  /**
   * What binds the witness by all that is said, in the words of one slot.
   *
   * @param answered the last words of this process on which answers have left. Another that has
   *     written a version no higher had not seen them, and lets no answer leave on that
   */
  Words allWords(int own, Words none, Optional<Words> answered) {
    Words all = said.get(own).words().orElse(none);
    for (int slot = 0; slot < said.size(); slot++) {
      Optional<Words> other =
          said.get(slot)
              .words()
              .filter(words -> answered.isEmpty() || words.mayHaveSeen(answered.get()));
      all = slot != own && other.isPresent() ? all.and(other.get()) : all;
    }
    return all;
  }
}
