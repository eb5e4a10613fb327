package io.mgtm.group.total;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;

/**
 * Which proposals were applied: of each origin the highest number of its newest process. Part of
 * the replicated state, so that a proposal that comes twice is applied once, whoever makes the
 * order. Owner thread.
 *
 * <p>A member of a known name with another folder takes the place of the former one: the group's
 * membership has one of a name, and nothing of a member that is not in it gets into the log.
 *
 * <pre>
 * | origins:i32 | origin… |   origin: | member | incarnation:i64 | last:i64 | index:i64 |
 * </pre>
 */
public class OriginTable {
  /** More names than members at a time; past it the one that was silent longest is forgotten. */
  static final int ORIGINS_MAX = 256;

  private static final int ORIGIN_BYTES_MAX = 17 + Membership.NAME_BYTES_MAX + 24;

  private final Map<String, Origin> byName = new TreeMap<>();

  private record Origin(MemberId member, long incarnation, long last, long index) {}

  /** What is to be done with a proposal. */
  public enum Verdict {
    /** It follows what was applied of its origin. */
    NEXT,
    /** It was applied, or its process is gone. */
    REPEAT,
    /** One before it is missing. */
    GAP
  }

  /** What a proposal is in view of what was applied. */
  public Verdict check(MemberId from, long incarnation, long number) {
    Origin known = byName.get(from.name());
    if (known != null && known.member().equals(from) && incarnation <= known.incarnation()) {
      return incarnation < known.incarnation() || number <= known.last()
          ? Verdict.REPEAT
          : number == known.last() + 1 ? Verdict.NEXT : Verdict.GAP;
    }
    return number == 1 ? Verdict.NEXT : Verdict.GAP;
  }

  /** The highest number that was applied of a process, 0 when none. */
  public final long last(MemberId of, long incarnation) {
    Origin known = byName.get(of.name());
    return known != null && known.member().equals(of) && incarnation == known.incarnation()
        ? known.last()
        : 0;
  }

  /** A proposal is applied, as the entry of an index. */
  final void applied(MemberId from, long incarnation, long number, long index) {
    byName.put(from.name(), new Origin(from, incarnation, number, index));
    if (byName.size() > ORIGINS_MAX) {
      byName.values().stream()
          .min(Comparator.comparingLong(Origin::index))
          .ifPresent(oldest -> byName.remove(oldest.member().name()));
    }
  }

  public byte[] encoded() {
    ByteBuffer to = ByteBuffer.allocate(4 + byName.size() * ORIGIN_BYTES_MAX);
    to.putInt(byName.size());
    for (Origin origin : byName.values()) {
      Membership.encode(origin.member(), to);
      to.putLong(origin.incarnation()).putLong(origin.last()).putLong(origin.index());
    }
    return Arrays.copyOf(to.array(), to.position());
  }

  /** Becomes what another one is. */
  final void become(OriginTable other) {
    byName.clear();
    byName.putAll(other.byName);
  }

  /**
   * Becomes what {@link #encoded} wrote; the position moves behind it.
   *
   * @throws IllegalArgumentException or BufferUnderflowException when it is no such table
   */
  final void restore(ByteBuffer from) {
    byName.clear();
    int origins = from.getInt();
    if (origins < 0 || origins > ORIGINS_MAX) {
      throw new IllegalArgumentException("a table of %d origins".formatted(origins));
    }
    for (int i = 0; i < origins; i++) {
      MemberId member = Membership.decodeMember(from);
      byName.put(member.name(), new Origin(member, from.getLong(), from.getLong(), from.getLong()));
    }
  }
}
