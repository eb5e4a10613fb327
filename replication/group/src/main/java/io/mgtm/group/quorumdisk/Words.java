package io.mgtm.group.quorumdisk;

import io.mgtm.group.core.CoreLog;
import io.mgtm.group.core.DurabilityState;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Membership;
import io.mgtm.group.core.PositionLog;
import io.mgtm.group.core.TermRecord;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.UUID;

/**
 * What binds a witness, as one member has written it down.
 *
 * <pre>
 * | version:i64 | beat:i64 | writer | leads:u8 | term:i64 | voted:u8 [member] | incarnation:i64 |
 * | durability state:u8 | founding:u128 | synced:u8 | initial membership | index:i64 |
 * | term of it:i64 | membership |
 * </pre>
 *
 * Big-endian; members as in a {@link Membership}; a founding of 0 is none.
 *
 * @param writer the member that speaks for the witness here
 * @param version above those of all words that these were made of
 * @param leads whether the writer led in that term when it wrote
 * @param beat another number as long as that goes on; it binds nobody
 */
record Words(
    MemberId writer,
    long version,
    boolean leads,
    long beat,
    TermRecord record,
    CoreLog.Checkpoint position) {
  private static final UUID NO_FOUNDING = new UUID(0, 0);

  /** Has the vote of a term that two members may have got. */
  private static final MemberId NOBODY = new MemberId("nobody", new UUID(0, 0));

  /** Those of a writer that has said nothing. */
  static Words none(MemberId writer) {
    return new Words(writer, 0, false, 0, TermRecord.fresh(), PositionLog.BEGINNING);
  }

  /** With another record. */
  Words with(TermRecord changed) {
    return new Words(writer, version, leads, beat, changed, position);
  }

  /** With another position. */
  Words with(CoreLog.Checkpoint further) {
    return new Words(writer, version, leads, beat, record, further);
  }

  /** What a member writes that binds the witness to these. */
  Words next(MemberId by, boolean leadsNow, boolean more) {
    return new Words(by, more ? version + 1 : version, leadsNow, beat + 1, record, position);
  }

  /** Whether these were written by the same, or may have been made of those. */
  boolean mayHaveSeen(Words of) {
    return writer.equals(of.writer) || version > of.version;
  }

  /** Whether both bind to the same. */
  boolean bindAs(Words other) {
    return writer.equals(other.writer)
        && version == other.version
        && record.equals(other.record)
        && position.equals(other.position);
  }

  /**
   * What binds one who is bound by both: the later term and the further position. Two who voted in
   * the same term for different members did not see each other's words, so that at most one of the
   * votes is out, and nobody gets another one in that term.
   */
  Words and(Words other) {
    boolean later = other.version > version;
    return new Words(
        writer,
        Math.max(version, other.version),
        false,
        beat,
        joined(record, other.record, later, version == other.version),
        joined(position, other.position, later));
  }

  private static TermRecord joined(
      TermRecord own, TermRecord other, boolean later, boolean concurrent) {
    TermRecord newer = later ? other : own;
    TermRecord voted = other.term() == own.term() ? newer : later(own, other);
    boolean worse = other.durabilityState().code() > own.durabilityState().code();
    return new TermRecord(
        voted.term(),
        other.term() == own.term() ? vote(own, other) : voted.votedFor(),
        concurrent ? Math.max(own.incarnation(), other.incarnation()) : newer.incarnation(),
        concurrent && worse ? other.durabilityState() : newer.durabilityState(),
        voted.initial().equals(Membership.NONE) ? newer.initial() : voted.initial(),
        newer.founding() == null ? (later ? own : other).founding() : newer.founding(),
        newer.synced());
  }

  private static TermRecord later(TermRecord own, TermRecord other) {
    return other.term() > own.term() ? other : own;
  }

  /** The vote of two in one term. */
  private static MemberId vote(TermRecord own, TermRecord other) {
    if (own.votedFor() == null || other.votedFor() == null) {
      return own.votedFor() == null ? other.votedFor() : own.votedFor();
    }
    return own.votedFor().equals(other.votedFor()) ? own.votedFor() : NOBODY;
  }

  private static CoreLog.Checkpoint joined(
      CoreLog.Checkpoint own, CoreLog.Checkpoint other, boolean later) {
    boolean further =
        other.term() > own.term() || (other.term() == own.term() && other.index() > own.index());
    CoreLog.Checkpoint far = further ? other : own;
    CoreLog.Checkpoint newer = later ? other : own;
    boolean known = !newer.membership().equals(Membership.NONE);
    return CoreLog.Checkpoint.position(
        far.index(), far.term(), known ? newer.membership() : far.membership());
  }

  /** For an operator. */
  String describe() {
    String vote = record.votedFor() == null ? "" : ", voted for " + record.votedFor();
    return "term %d%s, entries to %d of term %d, written by %s%s"
        .formatted(
            record.term(),
            vote,
            position.index(),
            position.term(),
            writer,
            leads ? ", which led" : "");
  }

  byte[] encoded() {
    ByteBuffer to = ByteBuffer.allocate(QuorumDisk.WORDS_BYTES_MAX);
    to.putLong(version).putLong(beat);
    Membership.encode(writer, to);
    to.put((byte) (leads ? 1 : 0)).putLong(record.term());
    to.put((byte) (record.votedFor() == null ? 0 : 1));
    if (record.votedFor() != null) {
      Membership.encode(record.votedFor(), to);
    }
    to.putLong(record.incarnation()).put(record.durabilityState().code());
    UUID founding = record.founding() == null ? NO_FOUNDING : record.founding();
    to.putLong(founding.getMostSignificantBits()).putLong(founding.getLeastSignificantBits());
    to.put((byte) (record.synced() ? 1 : 0)).put(record.initial().encoded());
    to.putLong(position.index()).putLong(position.term()).put(position.membership().encoded());
    return Arrays.copyOf(to.array(), to.position());
  }

  /**
   * Reads what {@link #encoded} wrote.
   *
   * @throws IllegalArgumentException or BufferUnderflowException when it is nothing of the kind
   */
  static Words decode(ByteBuffer from) {
    long version = from.getLong();
    long beat = from.getLong();
    MemberId writer = Membership.decodeMember(from);
    boolean leads = from.get() != 0;
    long term = from.getLong();
    MemberId voted = from.get() == 0 ? null : Membership.decodeMember(from);
    long incarnation = from.getLong();
    DurabilityState state = DurabilityState.of(from.get());
    UUID founding = new UUID(from.getLong(), from.getLong());
    boolean synced = from.get() != 0;
    TermRecord record =
        new TermRecord(
            term,
            voted,
            incarnation,
            state,
            Membership.decode(from),
            founding.equals(NO_FOUNDING) ? null : founding,
            synced);
    long index = from.getLong();
    long indexTerm = from.getLong();
    return new Words(
        writer,
        version,
        leads,
        beat,
        record,
        CoreLog.Checkpoint.position(index, indexTerm, Membership.decode(from)));
  }
}
