package io.mgtm.group.member;

import io.mgtm.group.DurabilityMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Says once when a group forces something else than a member's configuration. Owner thread. */
final class DurabilityWatch {
  private static final Logger log = LoggerFactory.getLogger(DurabilityWatch.class);

  private final String member;
  private final DurabilityMode configured;
  private boolean told;

  DurabilityWatch(String member, DurabilityMode configured) {
    this.member = member;
    this.configured = configured;
  }

  /** Looks at what the group has agreed on. */
  void look(DurabilityMode ofGroup) {
    if (ofGroup != configured && !told) {
      log.warn(
          "Member {}: the group's durability is {}, and {} in the configuration counts for nothing; change the group's with \"mgtm gtm durability {}\", or the configuration",
          member,
          ofGroup.label(),
          configured.label(),
          configured.label());
    }
    told = ofGroup != configured;
  }
}
