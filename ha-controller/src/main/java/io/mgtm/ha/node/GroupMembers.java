package io.mgtm.ha.node;

import io.mgtm.common.Rarely;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.ha.core.LogMembers;
import io.mgtm.ha.core.LogMembers.Join;
import io.mgtm.ha.core.LogMembers.Lead;
import io.mgtm.ha.core.LogMembers.Step;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the members of the controllers' log be those of the configuration, one step at a time, while
 * this controller leads. Owner thread.
 */
final class GroupMembers {
  private static final Logger log = LoggerFactory.getLogger(GroupMembers.class);

  private final GroupAdmin group;

  /** Those that may join, and have not shown up as far as this leader knows. */
  private final Set<String> awaited = new LinkedHashSet<>();

  private final Rarely refusals = new Rarely();

  GroupMembers(GroupAdmin group) {
    this.group = group;
  }

  /** Another member leads: this one's requests are forgotten. */
  void following() {
    awaited.clear();
  }

  /**
   * Does what comes next, when there is something.
   *
   * @param status what this member knows of the log's group now
   * @param wanted by the configuration, and which of them only votes
   * @param retired those of them whose controllers may be stopped
   */
  void follow(GroupStatus status, Map<String, Boolean> wanted, Set<String> retired) {
    status.members().forEach(member -> awaited.remove(member.name()));
    LogMembers now = members(status);
    Set<String> away = new LinkedHashSet<>(retired);
    away.addAll(now.leaving(wanted.keySet()));
    group.excuse(away);
    now.next(wanted).forEach(this::take);
  }

  private LogMembers members(GroupStatus status) {
    Map<String, Boolean> members = new LinkedHashMap<>();
    for (GroupStatus.Member member : status.members()) {
      boolean hasAll = member.voter() || member.matchedIndex() >= status.committedIndex();
      members.put(member.name(), hasAll);
    }
    return new LogMembers(
        status.name(),
        members,
        status.witness(),
        Set.copyOf(awaited),
        status.successors().toList());
  }

  private void take(Step step) {
    String name = step.name();
    if (step instanceof Join join) {
      if (told(name + " is not added", group.add(name, join.asWitness()))) {
        awaited.add(name);
        log.info("Node {} may join the controllers' log", name);
      }
    } else if (step instanceof Lead) {
      told(name + " does not lead in the place of one that leaves", group.transfer(name));
    } else if (told(name + " is not removed", group.remove(name))) {
      awaited.remove(name);
      log.info("Node {} leaves the controllers' log", name);
    }
  }

  private boolean told(String what, Optional<String> refusal) {
    refusal.ifPresent(why -> refusals.run(more -> log.warn("{} yet: {}{}", what, why, more)));
    return refusal.isEmpty();
  }
}
