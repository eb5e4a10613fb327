package io.mgtm.group.core;

import io.mgtm.group.Durability;
import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import java.util.List;

/**
 * Stores what the leader of the current term sends, and answers. Owner thread.
 *
 * <p>What is answered as matching was compared with the leader's log in this term; nothing that
 * this member knows as committed is ever cut.
 */
final class FollowerRole {
  private final CoreState s;

  private final IncomingCheckpoint incoming = new IncomingCheckpoint();

  /** When a leader was last told that there is no room. */
  private long toldNoRoomMs = Long.MIN_VALUE / 2;

  FollowerRole(CoreState s) {
    this.s = s;
  }

  void onAppend(MemberId leader, Message.Append m) {
    s.highestRound = Math.max(s.highestRound, m.round());
    long base = s.log.baseIndex();
    long previous = m.previousIndex();
    if (previous < base) {
      refuse(leader, previous, base);
      return;
    }
    if (previous > s.log.lastIndex() || s.log.termAt(previous) != m.previousTerm()) {
      if (previous <= s.stableIndex) {
        failDiverged(previous);
      } else {
        refuse(leader, previous, couldMatch(previous, m.previousTerm()));
      }
      return;
    }
    try {
      if (!store(m)) {
        return;
      }
    } catch (LogException e) {
      if (e.category() == Category.NO_SPACE) {
        tellNoRoom(leader);
      }
      throw e;
    }
    s.ownMembership.fed();
    s.verifiedIndex = Math.max(s.verifiedIndex, m.lastIndex());
    s.commit(Math.min(m.commitIndex(), m.lastIndex()));
    accept(leader, m.lastIndex());
  }

  /** Not each time: it comes again with each heartbeat. */
  private void tellNoRoom(MemberId leader) {
    if (s.nowMs - toldNoRoomMs >= s.settings.electionTimeoutMs()) {
      toldNoRoomMs = s.nowMs;
      s.effects.send(List.of(leader.name()), new Message.NoRoom(s.term(), s.record.incarnation()));
    }
  }

  /** The highest index before one whose term is not above a term. */
  private long couldMatch(long previous, long previousTerm) {
    long index = Math.min(previous - 1, s.log.lastIndex());
    while (index > s.stableIndex && s.log.termAt(index) > previousTerm) {
      index--;
    }
    return index;
  }

  /** False when this member had to stop. */
  private boolean store(Message.Append m) {
    long index = m.previousIndex();
    boolean force = false;
    for (Entry entry : m.entries()) {
      index++;
      if (index <= s.log.lastIndex()) {
        if (s.log.termAt(index) == entry.term()) {
          continue;
        }
        if (index <= s.stableIndex) {
          failDiverged(index);
          return false;
        }
        s.truncate(index);
        s.commitIndex = Math.min(s.commitIndex, index - 1);
      }
      s.append(entry);
      force |= entry.durability() != Durability.BUFFERED;
    }
    if (force) {
      s.log.requestForce();
    }
    return true;
  }

  private void failDiverged(long index) {
    s.fail(
        ("This member knows entry %d as acknowledged, and the group led by %s has lost it, as can"
                + " happen when a majority loses power at once; look at what is missing, then start"
                + " this member with an empty data folder")
            .formatted(index, s.leader));
  }

  private void accept(MemberId leader, long index) {
    send(leader, true, index, index, 0);
  }

  private void refuse(MemberId leader, long previous, long hintIndex) {
    send(leader, false, previous, hintIndex, s.log.termAt(hintIndex));
  }

  private void send(MemberId to, boolean matched, long index, long hintIndex, long hintTerm) {
    s.effects.send(
        List.of(to.name()),
        new Message.AppendReply(
            s.term(),
            s.record.incarnation(),
            s.record.durabilityState(),
            s.highestRound,
            matched,
            index,
            Math.min(s.log.durableIndex(), s.verifiedIndex),
            hintIndex,
            hintTerm,
            s.promiseMs()));
  }

  /** Tells a leader of an older term that there is a newer one. */
  void refuseOldTerm(MemberId sender) {
    s.effects.send(
        List.of(sender.name()),
        new Message.AppendReply(
            s.term(), s.record.incarnation(), s.record.durabilityState(), 0, false, 0, 0, 0, 0, 0));
  }

  /** More is on disk. */
  void synced() {
    if (s.leader != null && s.verifiedIndex > 0) {
      accept(s.leader, s.verifiedIndex);
    }
  }

  void onCaughtUp(Message.CaughtUp m) {
    if (m.incarnation() != s.record.incarnation()) {
      return;
    }
    s.inStep = true;
    if (s.record.durabilityState() != DurabilityState.INTACT) {
      s.save(s.record.withDurabilityState(DurabilityState.INTACT));
      s.ownMembership.tell();
    }
  }

  /** Acknowledges from here on as another incarnation, of which nothing is counted yet. */
  void onOlderCopy(MemberId leader, Message.OlderCopy m) {
    if (leader.equals(s.leader) && m.incarnation() == s.record.incarnation()) {
      s.inStep = false;
      s.save(s.record.ofOlderCopy(leader, m.known()));
      s.ownMembership.tell();
    }
  }

  void onDiverged(Message.Diverged m) {
    if (m.index() <= s.stableIndex) {
      failDiverged(m.index());
    }
  }

  void onPiece(MemberId leader, Message.CheckpointPiece m) {
    if (m.membership().isWitness(s.self)) {
      s.warnings.warn(
          "position for a member with data",
          "%s leads and takes this member for the witness, and it was started as one that keeps data. Set group.witness to the same name on all members; the witness begins with an empty folder"
              .formatted(leader.name()));
      return;
    }
    s.highestRound = Math.max(s.highestRound, m.round());
    CoreLog.Checkpoint checkpoint = m.checkpoint();
    CoreLog log = s.log;
    long index = checkpoint.index();
    if (has(checkpoint)) {
      // What follows it may have been acknowledged; the log has all that the checkpoint has.
      incoming.forget();
      s.verifiedIndex = Math.max(s.verifiedIndex, index);
      s.commit(index);
      accept(leader, index);
      return;
    }
    if (index <= s.stableIndex) {
      if (index >= log.baseIndex()) {
        failDiverged(index);
      } else {
        refuse(leader, index, log.baseIndex());
      }
      return;
    }
    if (checkpoint.bytes() > s.settings.checkpointBytesMax()) {
      s.fail(
          "The leader's checkpoint has %d bytes and %d are allowed; raise the limit on this member"
              .formatted(checkpoint.bytes(), s.settings.checkpointBytesMax()));
      return;
    }
    if (incoming.wants(m, s.nowMs)) {
      log.receive(checkpoint, m.offset(), m.piece());
    } else {
      goOn(leader);
    }
  }

  private boolean has(CoreLog.Checkpoint checkpoint) {
    return checkpoint.index() >= s.log.baseIndex()
        && checkpoint.index() <= s.log.lastIndex()
        && s.log.termAt(checkpoint.index()) == checkpoint.term();
  }

  private void tellReceived(MemberId leader) {
    s.effects.send(
        List.of(leader.name()),
        new Message.CheckpointReply(
            s.term(),
            s.record.incarnation(),
            s.record.durabilityState(),
            s.highestRound,
            incoming.checkpoint().index(),
            incoming.stored()));
  }

  /** See {@link GroupCore#received}. */
  void received(CoreLog.Checkpoint checkpoint, long stored, boolean ready) {
    if (!incoming.isOf(checkpoint, s.term())) {
      return;
    }
    incoming.stored(stored, ready, s.nowMs);
    // While no leader is heard it stays as it is: the next piece, of whatever leader, goes on.
    if (s.leader != null) {
      goOn(s.leader);
    }
  }

  private void goOn(MemberId leader) {
    CoreLog.Checkpoint checkpoint = incoming.checkpoint();
    if (!incoming.isReady()) {
      tellReceived(leader);
      return;
    }
    incoming.forget();
    if (!has(checkpoint) && checkpoint.index() > s.stableIndex) {
      install(leader, checkpoint);
    }
  }

  private void install(MemberId leader, CoreLog.Checkpoint checkpoint) {
    long index = checkpoint.index();
    s.log.install(checkpoint);
    s.members.reset(index, checkpoint.membership());
    s.verifiedIndex = index;
    s.commitIndex = index;
    s.stableIndex = index;
    s.effects.committed(index);
    accept(leader, index);
  }
}
