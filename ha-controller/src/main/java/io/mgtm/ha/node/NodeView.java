package io.mgtm.ha.node;

import io.mgtm.group.core.NoLeader;
import io.mgtm.group.member.GroupStatus;
import io.mgtm.ha.core.ClusterState;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.Redundancy;
import io.mgtm.ha.core.Report;
import io.mgtm.ha.model.ClusterConfig;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/** What this node has heard of the others, and knows of the cluster's state. Owner thread. */
final class NodeView {
  private static final String LAST_RESORT =
      "if the machines of a majority are lost for good, start anew on what is left, and restore no"
          + " --data: docs/ha.md, Starting anew";

  private final String name;
  private final LongSupplier nowMs;
  private final long begunMs;
  private final Map<String, Heard> heard = new TreeMap<>();
  private ClusterState state = ClusterState.EMPTY;

  /** When a batch moved the cluster's time last. */
  private long movedMs;

  /** The newest heartbeat of a node, and when it was heard on each path. */
  private static final class Heard {
    private Heartbeat newest;
    private final Map<String, Long> atMs = new TreeMap<>();
  }

  NodeView(String name, LongSupplier nowMs) {
    this.name = name;
    this.nowMs = nowMs;
    this.begunMs = nowMs.getAsLong();
  }

  void applied(ClusterState next) {
    if (next.at() != state.at()) {
      movedMs = nowMs.getAsLong();
    }
    state = next;
  }

  void heard(Heartbeat heartbeat, String path) {
    Heard of = heard.computeIfAbsent(heartbeat.node(), node -> new Heard());
    if (of.newest == null || heartbeat.isAfter(of.newest)) {
      of.newest = heartbeat;
    }
    if (heartbeat.incarnation() == of.newest.incarnation()) {
      of.atMs.put(path, nowMs.getAsLong());
    }
  }

  /**
   * The view.
   *
   * @param group the status of the controllers' log, null before that is open
   * @param disk why the quorum disk has not voted for this node for some time
   */
  ClusterView of(GroupStatus group, Optional<String> disk) {
    long now = nowMs.getAsLong();
    Map<String, ClusterView.NodeStatus> nodes = new LinkedHashMap<>();
    heard.forEach(
        (node, of) -> {
          Map<String, Long> agoMs = new LinkedHashMap<>();
          of.atMs.forEach((path, at) -> agoMs.put(path, now - at));
          nodes.put(
              node,
              new ClusterView.NodeStatus(
                  of.newest.incarnation(), agoMs, of.newest.reports(), of.newest.disk()));
        });
    return new ClusterView(
        name,
        group == null ? "" : group.leader(),
        group == null ? 0 : group.term(),
        state.at() == 0 ? 0 : state.at() + (now - movedMs),
        now - begunMs,
        group == null ? List.of() : group.connected(),
        group == null ? List.of() : voters(group),
        warnings(group, disk),
        nodes,
        state);
  }

  /** A restored log would be out of date: what a GTM does at last is not what controllers do. */
  private List<String> warnings(GroupStatus group, Optional<String> disk) {
    List<String> warnings = new ArrayList<>();
    if (group != null) {
      // Of one that does not answer the group warns itself.
      disk.filter(why -> group.connected().contains(ClusterConfig.QUORUM_DISK))
          .ifPresent(why -> warnings.add(ofDisk(name, why)));
      group.warnings().forEach(each -> warnings.add(NoLeader.withLastResort(each, LAST_RESORT)));
    }
    Map<String, Map<String, Report>> reports = new LinkedHashMap<>();
    heard.forEach(
        (node, of) -> {
          reports.put(node, of.newest.reports());
          DiskReport said = of.newest.disk();
          if (said != null && !said.votes() && !node.equals(name)) {
            warnings.add(ofDisk(node, said.wrong()));
          }
        });
    warnings.addAll(Redundancy.warnings(state, reports));
    return warnings;
  }

  private static String ofDisk(String node, String why) {
    return "The quorum disk does not vote for %s: %s".formatted(node, why);
  }

  private static List<String> voters(GroupStatus group) {
    return group.members().stream()
        .filter(GroupStatus.Member::voter)
        .map(GroupStatus.Member::name)
        .toList();
  }
}
