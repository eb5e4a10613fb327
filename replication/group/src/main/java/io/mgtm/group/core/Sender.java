package io.mgtm.group.core;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/**
 * Sends a leader's entries. Members that need the same get one message, so that a transport can
 * multicast it. Owner thread.
 */
final class Sender {
  /** So many entries behind a spare gets them with a round. */
  private static final int STEP_ENTRIES = 64;

  private final CoreState s;
  private final Collection<Progress> others;
  private final LongConsumer begun;
  private long round;
  private long sentLimit;

  /**
   * A sender that has begun no round.
   *
   * @param begun told of each round before it is sent
   */
  Sender(CoreState s, LongConsumer begun, Collection<Progress> others) {
    this.s = s;
    this.begun = begun;
    this.others = others;
  }

  /** The last round that was begun. */
  long round() {
    return round;
  }

  /** The last index that a round was to send. */
  long sentLimit() {
    return sentLimit;
  }

  boolean hasUnsent(long limit) {
    for (Progress other : others) {
      if (!other.witness && !isLeft(other, limit) && wants(other, limit)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a member was not sent all up to an index, and can take more now. */
  private boolean wants(Progress other, long limit) {
    return other.next <= limit && other.maySend(s.settings.inFlightMax());
  }

  /** Whether a member waits for a wider step. */
  private static boolean isLeft(Progress other, long limit) {
    return other.isSpare() && limit - other.next < STEP_ENTRIES;
  }

  /**
   * Begins a round: sends entries up to an index.
   *
   * @param ask whether members without unsent entries get a message too
   * @param spares whether spares are not left out
   */
  void send(long limit, boolean ask, boolean spares) {
    round++;
    sentLimit = limit;
    begun.accept(round);
    Map<Long, List<Progress>> entriesFrom = new LinkedHashMap<>();
    Map<Long, List<Progress>> emptyFrom = new LinkedHashMap<>();
    for (Progress other : List.copyOf(others)) {
      if (other.witness
          || other.state == Progress.State.CHECKPOINT
          || (!spares && isLeft(other, limit))) {
        continue;
      }
      if (other.next <= s.log.baseIndex()) {
        beginCheckpoint(other);
      } else if (wants(other, limit)) {
        entriesFrom.computeIfAbsent(other.next, from -> new ArrayList<>()).add(other);
      } else if (ask) {
        emptyFrom.computeIfAbsent(other.next, from -> new ArrayList<>()).add(other);
      }
    }
    entriesFrom.forEach((from, to) -> sendEntries(to, from, limit));
    emptyFrom.forEach((from, to) -> transmit(to, append(from, List.of())));
  }

  /** Goes on with a member that has answered: sends what a round left over for it. */
  void sendMore(Progress other) {
    if (!isLeft(other, sentLimit)) {
      sendUnsent(other, sentLimit);
    }
  }

  /** Sends a member what it was not sent, if it can take it now. */
  void sendUnsent(Progress other, long limit) {
    if (other.witness || other.state == Progress.State.CHECKPOINT) {
      return;
    }
    if (other.next <= s.log.baseIndex()) {
      beginCheckpoint(other);
    } else if (wants(other, limit)) {
      sendEntries(List.of(other), other.next, limit);
    }
  }

  private void sendEntries(List<Progress> to, long from, long limit) {
    List<Entry> entries = s.log.read(from, s.settings.batchBytesMax());
    if (from + entries.size() - 1 > limit) {
      entries = entries.subList(0, (int) (limit - from + 1));
    }
    Message.Append message = append(from, entries);
    for (Progress other : to) {
      other.sent(message.lastIndex());
    }
    transmit(to, message);
  }

  private Message.Append append(long from, List<Entry> entries) {
    return new Message.Append(
        s.term(),
        s.founding(),
        round,
        from - 1,
        s.log.termAt(from - 1),
        s.stableIndex,
        List.copyOf(entries));
  }

  private void transmit(List<Progress> to, Message message) {
    s.effects.send(to.stream().map(other -> other.member.name()).toList(), message);
  }

  void send(Progress to, Message message) {
    s.effects.send(List.of(to.member.name()), message);
  }

  /** Sends a witness a position of this leader's log, 0 for none yet. */
  void sendPosition(Progress witness, long index) {
    long term = index == 0 ? 0 : s.term();
    ByteBuffer nothing = ByteBuffer.allocate(0);
    send(
        witness,
        new Message.CheckpointPiece(
            s.term(),
            s.founding(),
            round,
            CoreLog.Checkpoint.position(index, term, s.members.latest()),
            0,
            Message.CheckpointPiece.checksum(nothing),
            nothing));
  }

  private void beginCheckpoint(Progress other) {
    CoreLog.Checkpoint newest = s.log.newestCheckpoint();
    other.state = Progress.State.CHECKPOINT;
    other.checkpoint = newest;
    other.checkpointOffset = 0;
    sendPiece(other);
  }

  /** Sends the piece of the checkpoint that the member lacks next; again when it was lost. */
  void sendPiece(Progress other) {
    if (other.state != Progress.State.CHECKPOINT) {
      return;
    }
    CoreLog.Checkpoint checkpoint = other.checkpoint;
    ByteBuffer piece =
        s.log.read(checkpoint, other.checkpointOffset, s.settings.checkpointPieceBytes());
    if (piece == null) {
      beginCheckpoint(other);
      return;
    }
    send(
        other,
        new Message.CheckpointPiece(
            s.term(),
            s.founding(),
            round,
            checkpoint,
            other.checkpointOffset,
            Message.CheckpointPiece.checksum(piece),
            piece));
  }

  /** Notes what a member says of its log; one that may lack entries hears how it stands. */
  void answered(Progress other, Message.AppendReply m) {
    other.durabilityState = m.durabilityState();
    other.promisedMs = m.promisedMs();
    other.isOlderCopy |= other.lacks(m);
    if (m.matched()) {
      other.matched(m.index(), m.durableIndex(), m.round());
    } else {
      refused(other, m);
    }
    if (other.isOlderCopy) {
      tellOlderCopy(other, m.incarnation());
    } else if ((s.needsMajority() || other.witness)
        && m.durabilityState() != DurabilityState.INTACT
        && other.isCaughtUp()) {
      send(other, new Message.CaughtUp(s.term(), m.incarnation()));
    }
  }

  /** It is ignored by a later incarnation, so that an answer that is late does no harm. */
  void tellOlderCopy(Progress other, long answering) {
    s.warnings.warn(
        "older copy of " + other.member.name(),
        "%s was started on an older copy of its data folder, which lacks what it had acknowledged; it votes for nobody until it has been given that again"
            .formatted(other.member.name()));
    send(other, new Message.OlderCopy(s.term(), answering, other.incarnation));
  }

  /** Its log does not match where it was asked: looks for the place where it does. */
  private void refused(Progress other, Message.AppendReply m) {
    if (other.state == Progress.State.CHECKPOINT && m.hintIndex() < other.checkpoint.index()) {
      return;
    }
    if (m.index() <= other.match
        || (other.state == Progress.State.PROBE && m.index() != other.next - 1)) {
      return; // an answer to something older
    }
    CoreLog log = s.log;
    if (m.hintIndex() > m.index()) {
      // Its log begins later, with a committed checkpoint.
      boolean contradicts =
          m.hintIndex() > log.lastIndex()
              || (m.hintIndex() >= log.baseIndex() && log.termAt(m.hintIndex()) != m.hintTerm());
      if (contradicts) {
        send(other, new Message.Diverged(s.term(), m.hintIndex()));
      } else {
        other.probe(m.hintIndex() + 1);
      }
      return;
    }
    long index = Math.min(m.hintIndex(), log.lastIndex());
    while (index > log.baseIndex() && log.termAt(index) > m.hintTerm()) {
      index--;
    }
    other.probe(index + 1);
  }
}
