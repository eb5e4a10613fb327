package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a member's core does to the outside. Owner thread. */
final class GroupEffects implements Effects {
  private static final Logger log = LoggerFactory.getLogger(GroupEffects.class);

  private final GroupLog group;
  private final MemberId self;
  private final TermStore terms;
  private final Applier applier;
  private final Transport transport;
  private final ReplicatedLog.Listener listener;
  private final MemberListener everyMember;

  GroupEffects(
      GroupLog group,
      MemberId self,
      TermStore terms,
      Applier applier,
      Transport transport,
      ReplicatedLog.Listener listener,
      MemberListener everyMember) {
    this.group = group;
    this.self = self;
    this.terms = terms;
    this.applier = applier;
    this.transport = transport;
    this.listener = listener;
    this.everyMember = everyMember;
    applier.tell(this::applied);
  }

  @Override
  public void send(List<String> to, Message message) {
    transport.send(to, MessageCodec.encode(self, message));
  }

  @Override
  public void save(TermRecord record) {
    terms.save(record);
  }

  @Override
  public void leaderChanged(MemberId leader, long term) {
    log.info("Member {}: term {}, leader {}", self, term, leader == null ? "unknown" : leader);
    if (!self.equals(leader)) {
      group.notice(() -> group.stopLeading(leader == null ? null : leader.name()));
    }
  }

  @Override
  public void leading(long term, boolean entriesMayBeMissing) {
    String missing = entriesMayBeMissing ? ", acknowledged entries may be missing" : "";
    log.info("Member {} leads in term {}{}", self, term, missing);
    applier.whenApplied(() -> group.notice(() -> group.beginLeading(term, entriesMayBeMissing)));
  }

  @Override
  public void committed(long index) {
    applier.applyUpTo(index);
  }

  private void applied(long index) {
    group.notice(
        () -> {
          everyMember.settled(index);
          if (group.isLeading()) {
            listener.committed(index);
          }
        });
  }

  @Override
  public void confirmed(long readIndex) {
    tellLeader(() -> listener.confirmed(readIndex));
  }

  private void tellLeader(Runnable notice) {
    group.notice(
        () -> {
          if (group.isLeading()) {
            notice.run();
          }
        });
  }

  @Override
  public void warned(String sentence) {
    log.warn("Member {}: {}", self, sentence);
  }

  @Override
  public void failed(String reason) {
    group.fail(new LogException(Category.CORRUPT, reason));
  }
}
