package io.mgtm.ha.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Timing;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What all controllers agree on: an immutable value; a checkpoint is this record as JSON.
 *
 * @param format of the encoding; this program writes and reads {@link Batch#FORMAT}
 * @param version counts applied commands
 * @param at the cluster's time of the last batch
 * @param leader of the last term, and that term
 * @param config null before the first {@link OperatorCommand.Configure}
 * @param configVersion counts configurations
 * @param placements by hierarchy
 * @param copies by hierarchy, then by resource: which nodes have everything acknowledged
 * @param joined by hierarchy and node, which version of the configuration has put it in; nothing of
 *     those that began with the cluster
 * @param nodeMaintenance names of nodes that nothing is decided on
 * @param hierarchyMaintenance names of hierarchies that nothing is decided of
 * @param retired nodes that nothing is placed on, and what becomes of what they have and no other
 *     node can have
 * @param silentNodes those that the leader has no contact with
 * @param silentPaths on which it does not hear a node though it hears it on others, as "NODE PATH";
 *     the quorum disk is one, on which a node is silent that the disk does not vote for
 * @param events the newest, oldest first
 * @param notified up to which event each target of notifications was told
 * @param former null when no leases of a former configuration must be waited for
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClusterState(
    int format,
    long version,
    long at,
    long term,
    String leader,
    ClusterConfig config,
    long configVersion,
    Map<String, Placement> placements,
    Map<String, Map<String, Copies>> copies,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, Map<String, Long>> joined,
    boolean clusterMaintenance,
    Set<String> nodeMaintenance,
    Set<String> hierarchyMaintenance,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Map<String, OperatorCommand.Rest> retired,
    Set<String> silentNodes,
    @JsonInclude(JsonInclude.Include.NON_EMPTY) Set<String> silentPaths,
    long lastEvent,
    List<Event> events,
    Map<String, Long> notified,
    FormerLeases former) {
  public static final int EVENTS_MAX = 256;
  static final int NOTIFIED_MAX = 64;

  public static final ClusterState EMPTY =
      new ClusterState(
          Batch.FORMAT,
          0,
          0,
          0,
          "",
          null,
          0,
          Map.of(),
          Map.of(),
          Map.of(),
          false,
          Set.of(),
          Set.of(),
          Map.of(),
          Set.of(),
          Set.of(),
          0,
          List.of(),
          Map.of(),
          null);

  /** An older checkpoint has no positions of notifications, and names nobody who was put in. */
  public ClusterState {
    joined = joined == null ? Map.of() : joined;
    retired = retired == null ? Map.of() : retired;
    silentPaths = silentPaths == null ? Set.of() : silentPaths;
    notified = notified == null ? Map.of() : notified;
  }

  /**
   * After so long since anybody but this state's leader can have granted a lease, the last one is
   * over and what it covered has stopped.
   */
  long leasesOverMs() {
    long wait = timing().leaseOverMs();
    return former == null ? wait : Math.max(wait, former.waitMs());
  }

  /** What a node shall do, by hierarchy; what is not named shall be out there. */
  Map<String, Order> orders(String node) {
    Map<String, Order> orders = new TreeMap<>();
    placements.forEach(
        (hierarchy, placement) -> {
          boolean run = placement.stage() == Stage.HELD;
          if (placement.node().equals(node) && (run || placement.stage() == Stage.LEAVING)) {
            boolean repair = !inMaintenance(hierarchy, node);
            Map<String, Copies> marks = copies.getOrDefault(hierarchy, Map.of());
            orders.put(hierarchy, new Order(run, placement.epoch(), repair, marks));
          }
        });
    return orders;
  }

  /** Under which incarnation a node that has copies in service gave its last word on them. */
  long markedBy(String node) {
    return placements.entrySet().stream()
        .filter(each -> each.getValue().node().equals(node))
        .flatMap(
            each ->
                copies.getOrDefault(each.getKey(), Map.of()).values().stream()
                    .map(Copies::mark)
                    .filter(mark -> mark.epoch() == each.getValue().epoch()))
        .mapToLong(Mark::incarnation)
        .max()
        .orElse(0);
  }

  /** That of the configuration, or the default before there is one. */
  public Timing timing() {
    return config == null ? Timing.defaults() : config.timing();
  }

  /** The state after a batch. Never throws: a command that does not fit changes nothing. */
  public ClusterState apply(Batch batch) {
    StateChange change = new StateChange(this);
    change.apply(batch);
    return change.done();
  }

  /** Why a command would be refused now; empty when it would not be. */
  public String refusal(ClusterCommand command) {
    return command.applyTo(new StateChange(this));
  }

  /** Whether nothing is decided by itself of a hierarchy, or of it on a node. */
  public boolean inMaintenance(String hierarchy, String node) {
    return clusterMaintenance
        || hierarchyMaintenance.contains(hierarchy)
        || nodeMaintenance.contains(node);
  }
}
