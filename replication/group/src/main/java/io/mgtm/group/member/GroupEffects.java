package io.mgtm.group.member;

import io.mgtm.group.LogException;
import io.mgtm.group.LogException.Category;
import io.mgtm.group.core.Effects;
import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Message;
import io.mgtm.group.core.TermRecord;
import io.mgtm.group.net.MessageCodec;
import io.mgtm.group.net.Transport;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a member's core does to the outside. Owner thread. */
final class GroupEffects implements Effects {
  private static final Logger log = LoggerFactory.getLogger(GroupEffects.class);

  private final Notices notices;
  private final Consumer<LogException> fail;
  private final MemberId self;
  private final TermStore terms;
  private final Applier applier;
  private final Transport transport;

  GroupEffects(
      Notices notices,
      Consumer<LogException> fail,
      MemberId self,
      TermStore terms,
      Applier applier,
      Transport transport) {
    this.notices = notices;
    this.fail = fail;
    this.self = self;
    this.terms = terms;
    this.applier = applier;
    this.transport = transport;
    applier.tell(notices::applied);
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
      notices.add(() -> notices.following(leader == null ? null : leader.name()));
    }
  }

  @Override
  public void leading(long term, boolean entriesMayBeMissing) {
    String missing = entriesMayBeMissing ? ", acknowledged entries may be missing" : "";
    log.info("Member {} leads in term {}{}", self, term, missing);
    applier.whenApplied(() -> notices.leading(term, entriesMayBeMissing));
  }

  @Override
  public void committed(long index) {
    applier.applyUpTo(index);
  }

  @Override
  public void confirmed(long readIndex) {
    notices.confirmed(readIndex);
  }

  @Override
  public void warned(String sentence) {
    log.warn("Member {}: {}", self, sentence);
  }

  @Override
  public void failed(String reason) {
    fail.accept(new LogException(Category.CORRUPT, reason));
  }
}
