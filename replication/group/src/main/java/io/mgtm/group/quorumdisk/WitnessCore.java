package io.mgtm.group.quorumdisk;

import io.mgtm.group.DurabilityMode;
import io.mgtm.group.core.Agreement;
import io.mgtm.group.core.Configured;
import io.mgtm.group.core.CoreSettings;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.GroupCore;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.PositionLog;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.MessageCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The core of a witness that answers one member, and begins with words. What it stores are other
 * words, and what it says is held until those are on disk. Owner thread.
 */
final class WitnessCore {
  private static final Logger log = LoggerFactory.getLogger(WitnessCore.class);

  private final String member;
  private final MemberId self;
  private final GroupCore core;
  private final List<byte[]> held = new ArrayList<>();
  private Words words;
  private boolean changed;
  private String failure = "";

  /** The core of the witness on a disk, which is what its folder is to another. */
  WitnessCore(
      String member,
      List<String> configured,
      CoreSettings settings,
      UUID disk,
      Words words,
      long nowMs) {
    this.member = member;
    this.self = new MemberId(QuorumDisk.MEMBER, disk);
    this.words = words;
    Position position = new Position();
    core =
        new GroupCore(
            new GroupCore.Start(
                settings,
                Agreement.MAJORITY,
                self,
                new Configured(configured, QuorumDisk.MEMBER),
                DurabilityMode.ALL,
                position,
                new Held(),
                position.members(words.record().initial()),
                words.record(),
                words.version()),
            nowMs);
  }

  /** A step begins: nothing is held, nothing has changed. */
  void begin() {
    held.clear();
    changed = false;
  }

  void receive(long nowMs, MessageCodec.Envelope envelope) {
    core.receive(nowMs, envelope.from(), envelope.message());
  }

  void tick(long nowMs) {
    core.tick(nowMs);
  }

  /** A leader is at work that another member speaks with. */
  void leaderSeen(long nowMs, MemberId leader, long term) {
    core.leaderSeen(nowMs, leader, term);
  }

  /** Whether the member leads, as far as the witness has heard. */
  boolean isLedByMember() {
    MemberId leader = core.leader();
    return leader != null && leader.name().equals(member) && core.hearsLeader();
  }

  /** What a member is to write that binds the witness to all that the core has stored. */
  Words write(MemberId by, boolean leads) {
    words = words.next(by, leads, changed);
    return words;
  }

  /** Whether that is more than at the step's beginning. */
  boolean hasChanged() {
    return changed;
  }

  /** Whether it has heard a leader. */
  boolean isOfGroup() {
    return words.record().founding() != null;
  }

  /** Whether there is anything for the member. */
  boolean hasHeld() {
    return !held.isEmpty();
  }

  /** Messages for the member; but for the word that it is there none while it is not known. */
  List<byte[]> held(boolean known) {
    return held.stream()
        .filter(message -> known || decode(message).message() instanceof Message.Hello)
        .toList();
  }

  /** Why the core must stop, empty when it need not. */
  String failure() {
    return failure;
  }

  private final class Position extends PositionLog {
    Position() {
      super(words.position());
    }

    @Override
    protected void store(Checkpoint next) {
      words = words.with(next);
      changed = true;
    }
  }

  private final class Held implements Effects {
    @Override
    public void send(List<String> to, Message message) {
      if (to.contains(member)) {
        held.add(MessageCodec.encode(self, message));
      }
    }

    @Override
    public void save(TermRecord record) {
      words = words.with(record);
      changed = true;
    }

    @Override
    public void leaderChanged(MemberId leader, long term) {}

    @Override
    public void leading(long term, boolean entriesMayBeMissing) {
      throw new IllegalStateException("a witness leads in term " + term);
    }

    @Override
    public void committed(long index) {}

    @Override
    public void confirmed(long readIndex) {}

    /** Before there is a group the members say it themselves. */
    @Override
    public void warned(String sentence) {
      if (isOfGroup()) {
        log.warn("Quorum disk: {}", sentence);
      } else {
        log.debug("Quorum disk: {}", sentence);
      }
    }

    @Override
    public void failed(String reason) {
      failure = reason;
    }
  }

  /** What the member has said, as it came. */
  static MessageCodec.Envelope decode(byte[] message) {
    return MessageCodec.decode(ByteBuffer.wrap(message));
  }
}
