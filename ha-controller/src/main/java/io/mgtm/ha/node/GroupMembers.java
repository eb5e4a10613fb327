package io.mgtm.ha.node;

import io.mgtm.common.Rarely;
import io.mgtm.group.member.GroupAdmin;
import io.mgtm.group.member.GroupStatus;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the members of the controllers' log be the nodes of the configuration, one step at a time,
 * while this controller leads: who is gone leaves first, since a witness goes with two others.
 * Owner thread.
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
   * Does the next step, when there is one.
   *
   * @param status what this member knows of the log's group now
   * @param nodes of the configuration
   * @param retired those of them whose controllers may be stopped
   */
  void follow(GroupStatus status, Set<String> nodes, Set<String> retired) {
    group.excuse(retired);
    Set<String> members = new LinkedHashSet<>();
    status.members().forEach(member -> members.add(member.name()));
    awaited.removeAll(members);
    Set<String> leaving = new LinkedHashSet<>(members);
    leaving.addAll(awaited);
    leaving.removeAll(nodes);
    if (leaving.contains(status.name())) {
      status
          .successors()
          .filter(nodes::contains)
          .findFirst()
          .ifPresent(next -> told(status.name() + " does not lead on", group.transfer(next)));
    } else if (!leaving.isEmpty()) {
      String name = leaving.iterator().next();
      if (told(name + " is not removed", group.remove(name))) {
        awaited.remove(name);
        log.info("Node {} leaves the controllers' log", name);
      }
    } else {
      Set<String> joining = new LinkedHashSet<>(nodes);
      joining.removeAll(members);
      joining.removeAll(awaited);
      for (String name : joining) {
        if (told(name + " is not added", group.add(name))) {
          awaited.add(name);
          log.info("Node {} may join the controllers' log", name);
        }
      }
    }
  }

  private boolean told(String what, Optional<String> refusal) {
    refusal.ifPresent(why -> refusals.run(more -> log.warn("{} yet: {}{}", what, why, more)));
    return refusal.isEmpty();
  }
}
