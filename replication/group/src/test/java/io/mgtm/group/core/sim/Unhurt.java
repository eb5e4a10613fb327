package io.mgtm.group.core.sim;

import io.mgtm.group.core.MemberId;
import io.mgtm.group.core.Standing;
import java.util.List;

/** Which members may be hurt so that the group still has all that it has promised to keep. */
final class Unhurt {
  private final GroupSimulation world;

  Unhurt(GroupSimulation world) {
    this.world = world;
  }

  /** Whether a majority of the voters would stay unhurt if this one were hurt too. */
  boolean isMajorityWithout(SimNode next) {
    List<SimNode> all = List.copyOf(world.nodes().values());
    SimNode leader = world.leader();
    if (leader == null) {
      return false;
    }
    List<MemberId> voters = leader.core.membership().voters();
    long unhurt =
        all.stream()
            .filter(
                node ->
                    node != next
                        && !node.doomed
                        && voters.contains(node.self())
                        && !node.disk.isHurt()
                        && !node.core.isStopped()
                        && node.disk.record.standing() == Standing.INTACT
                        && node.core.membership().isVoter(node.self()))
            .count();
    // The founders' number, so that members that are out for a moment count as hurt.
    int size = Math.max(voters.size(), world.configuredFor("g1").size());
    return unhurt > size / 2;
  }

  /** Whether another voter's log has all of one's, and the witness may vote for it. */
  boolean isCopied(SimNode node) {
    SimNode witness = world.node(world.witness);
    return world.nodes().values().stream()
        .filter(other -> other != node && other != witness && other.alive && !other.doomed)
        .filter(other -> world.leader().core.membership().isVoter(other.self()))
        .anyMatch(
            other -> isNotBehind(other.disk, node.disk) && isNotBehind(other.disk, witness.disk));
  }

  private static boolean isNotBehind(SimDisk one, SimDisk other) {
    int byTerm = Long.compare(one.lastTerm(), other.lastTerm());
    return byTerm > 0 || (byTerm == 0 && one.last() >= other.last());
  }
}
