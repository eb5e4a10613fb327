package io.mgtm.group.core;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/** What members say to each other. Each has the sender's term; the sender comes with it. */
public sealed interface Message {

  long term();

  /** The founding of the sender's group; null when it has none, or the message does not say. */
  default UUID founding() {
    return null;
  }

  /**
   * I have no place in the group.
   *
   * @param founding the group that the sender belongs to; null until it has had a leader
   * @param nonce tells the answers to this round from older ones
   */
  record Hello(long term, UUID founding, long nonce) implements Message {}

  /**
   * Repeats the nonce; the term says whether this member has ever acknowledged one.
   *
   * @param leader the name of the leader, empty when none is known
   * @param configured what the sender was started with
   * @param initial the membership that the sender's group began with, when it knows it
   */
  record HelloReply(long term, long nonce, String leader, Configured configured, Membership initial)
      implements Message {}

  /** What you sent is not for this member: it belongs to a group that was founded otherwise. */
  record Foreign(long term, UUID founding) implements Message {}

  /**
   * You are not in the group, which has these members, as far as one knows who hears its leader.
   */
  record NotAMember(long term, UUID founding, Membership membership) implements Message {}

  /** Would you vote for me in {@code forTerm}? Changes nothing. */
  record PreVote(long term, UUID founding, long forTerm, long lastTerm, long lastIndex)
      implements Message {}

  /** Would it be granted, and with what durability state. */
  record PreVoteReply(long term, long forTerm, boolean granted, DurabilityState durabilityState)
      implements Message {}

  /**
   * Vote for me.
   *
   * @param unclean whether {@code SYNCED_ONLY} members may vote
   * @param transfer whether the leader itself asked for it
   */
  record Vote(
      long term, UUID founding, long lastTerm, long lastIndex, boolean unclean, boolean transfer)
      implements Message {}

  /** A vote, or none. */
  record VoteReply(long term, boolean granted, DurabilityState durabilityState)
      implements Message {}

  /** Entries that follow one of {@code (previousIndex, previousTerm)}; none in a heartbeat. */
  record Append(
      long term,
      UUID founding,
      long round,
      long previousIndex,
      long previousTerm,
      long commitIndex,
      List<Entry> entries)
      implements Message {
    long lastIndex() {
      return previousIndex + entries.size();
    }
  }

  /**
   * What a member has of what a leader sends.
   *
   * @param round the highest round seen of this leader
   * @param matched whether the log holds the entry before, and now all that was sent
   * @param index the last index that is known to match; when refused: the index before what was
   *     sent
   * @param durableIndex how much of what matches is on disk
   * @param hintIndex when refused: the highest index that could match, and its term; of a witness:
   *     one more than the index of the position that it had before, 0 when it does not say
   * @param promisedMs how long its sender lets no other lead, from when it heard this leader last;
   *     0 when it does not say
   */
  record AppendReply(
      long term,
      long incarnation,
      DurabilityState durabilityState,
      long round,
      boolean matched,
      long index,
      long durableIndex,
      long hintIndex,
      long hintTerm,
      long promisedMs)
      implements Message {}

  /**
   * A piece of a checkpoint; an empty one, at its end, asks what has become of it. To a witness:
   * the position up to which it vouches for the leader's log, without a state.
   *
   * @param crc the checksum of the piece
   */
  record CheckpointPiece(
      long term,
      UUID founding,
      long round,
      CoreLog.Checkpoint checkpoint,
      long offset,
      int crc,
      ByteBuffer piece)
      implements Message {

    long index() {
      return checkpoint.index();
    }

    long checkpointTerm() {
      return checkpoint.term();
    }

    Membership membership() {
      return checkpoint.membership();
    }

    static int checksum(ByteBuffer piece) {
      CRC32C crc = new CRC32C();
      crc.update(piece.duplicate());
      return (int) crc.getValue();
    }

    boolean isSound() {
      return crc == checksum(piece);
    }
  }

  /** Has all of the checkpoint up to an offset. */
  record CheckpointReply(
      long term,
      long incarnation,
      DurabilityState durabilityState,
      long round,
      long index,
      long nextOffset)
      implements Message {}

  /**
   * To a {@code SYNCED_ONLY} member: it has again what it may have lost. With {@link
   * Agreement#CONNECTED}: the member may lead when this leader is gone.
   */
  record CaughtUp(long term, long incarnation) implements Message {}

  /**
   * To a member that lacks what it acknowledged: its folder is an older copy.
   *
   * @param incarnation the one that shows it
   * @param known the latest one that the leader has heard of
   */
  record OlderCopy(long term, long incarnation, long known) implements Message {}

  /** To the member that shall lead, which is caught up: start an election now. */
  record TransferNow(long term, long incarnation) implements Message {}

  /** To a member whose committed checkpoint contradicts the leader's log. */
  record Diverged(long term, long index) implements Message {}

  /** From a member that cannot store what its leader sends: its disk is full. */
  record NoRoom(long term, long incarnation) implements Message {}

  /** Of the order of mode total; the core of the log passes it on. */
  sealed interface OfOrder extends Message {
    @Override
    default long term() {
      return 0;
    }
  }

  /** To the member that makes the order: proposals with consecutive numbers from {@code first}. */
  record Proposals(long incarnation, long first, List<ByteBuffer> payloads) implements OfOrder {
    /** The most that one of them takes. */
    public static final int PAYLOAD_BYTES_MAX = 1 << 20;
  }

  /**
   * From the member that makes the order: one before what came is missing, go on with {@code next}.
   *
   * @param incarnation of the process that is meant; 0 means every process, which is to repeat all
   *     that is not settled
   */
  record Expect(long incarnation, long next) implements OfOrder {}
}
