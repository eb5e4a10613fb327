package io.mgtm.ha.core;

import io.mgtm.ha.core.OperatorCommand.Rest;
import io.mgtm.ha.core.OperatorCommand.Scope;
import io.mgtm.ha.core.Placement.Answer;
import io.mgtm.ha.core.Placement.Pending;
import io.mgtm.ha.core.Placement.Stage;
import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A {@link ClusterState} while a batch changes it. Each method does one command, or changes nothing
 * and says why.
 */
public final class StateChange {
  static final String CLUSTER = "cluster";

  /** Why nothing is placed on a node. */
  static final String RETIRED = "is retired";

  private long version;
  private long at;
  private long wall;
  private long term;
  private String leader;
  private ClusterConfig config;
  private long configVersion;
  private final Map<String, Placement> placements;
  private final AllCopies copies;
  private Map<String, Map<String, Long>> joined;
  private boolean clusterMaintenance;
  private final Set<String> nodeMaintenance;
  private final Set<String> hierarchyMaintenance;
  private final Map<String, Rest> retired;
  private final Set<String> silentNodes;
  private final Set<String> silentPaths;
  private final EventLog events;
  private final Map<String, Long> notified;
  private FormerLeases former;

  StateChange(ClusterState from) {
    version = from.version();
    at = from.at();
    term = from.term();
    leader = from.leader();
    config = from.config();
    configVersion = from.configVersion();
    placements = new TreeMap<>(from.placements());
    copies = new AllCopies(from.copies());
    joined = from.joined();
    clusterMaintenance = from.clusterMaintenance();
    nodeMaintenance = new TreeSet<>(from.nodeMaintenance());
    hierarchyMaintenance = new TreeSet<>(from.hierarchyMaintenance());
    retired = new TreeMap<>(from.retired());
    silentNodes = new TreeSet<>(from.silentNodes());
    silentPaths = new TreeSet<>(from.silentPaths());
    events = new EventLog(from);
    notified = new TreeMap<>(from.notified());
    former = from.former();
  }

  ClusterState done() {
    return new ClusterState(
        Batch.FORMAT,
        version,
        at,
        term,
        leader,
        config,
        configVersion,
        Collections.unmodifiableMap(placements),
        copies.done(),
        joined,
        clusterMaintenance,
        Collections.unmodifiableSet(nodeMaintenance),
        Collections.unmodifiableSet(hierarchyMaintenance),
        Collections.unmodifiableMap(retired),
        Collections.unmodifiableSet(silentNodes),
        Collections.unmodifiableSet(silentPaths),
        events.last(),
        events.kept(),
        Collections.unmodifiableMap(notified),
        former);
  }

  void apply(Batch batch) {
    at = Math.max(at, batch.at());
    wall = batch.wall();
    for (Decision decision : batch.decisions()) {
      version++;
      if (decision.command().applyTo(this).isEmpty() && !decision.command().what().isEmpty()) {
        events.record(batch.wall(), decision);
      }
    }
  }

  String configure(OperatorCommand.Configure command) {
    ClusterConfig next = command.config();
    String refused =
        command.version() != configVersion
            ? "the configuration has been changed meanwhile and has version " + configVersion
            : new ConfigChange(config, next).refusal(placements, copies.done(), retired.keySet());
    if (!refused.isEmpty()) {
      return refused;
    }
    former = FormerLeases.after(former, config, next);
    configVersion++;
    joined = command.joins() ? Joins.after(joined, config, next, configVersion) : joined;
    config = next;
    placements.keySet().retainAll(next.hierarchies().keySet());
    copies.configured(next);
    hierarchyMaintenance.retainAll(next.hierarchies().keySet());
    nodeMaintenance.retainAll(next.nodes().keySet());
    retired.keySet().retainAll(next.nodes().keySet());
    silentNodes.retainAll(next.nodes().keySet());
    silentPaths.clear(); // addresses may be others
    for (String name : next.hierarchies().keySet()) {
      placements.putIfAbsent(name, Placement.NEW);
    }
    return "";
  }

  String over(ClusterCommand.LeasesOver command) {
    if (former == null) {
      return "it is recorded already";
    }
    former = command.until() == 0 ? null : new FormerLeases(former.waitMs(), command.until());
    return "";
  }

  String start(OperatorCommand.Start command) {
    if (command.acceptLoss() && command.node().isEmpty()) {
      return "to accept loss, name the node whose copy shall be used";
    }
    String refused = mayRunOn(command.hierarchy(), command.node());
    return refused.isEmpty() ? edit(command.hierarchy(), p -> p.start(command)) : refused;
  }

  String stop(OperatorCommand.Stop command) {
    return edit(command.hierarchy(), PlacementEdit::stop);
  }

  String switchover(OperatorCommand.Switchover command) {
    String refused =
        command.node().isEmpty()
            ? "name the node that it shall move to"
            : mayRunOn(command.hierarchy(), command.node());
    if (!refused.isEmpty()) {
      return refused;
    }
    String outdated =
        command.acceptLoss() ? "" : copies.outdated(command.hierarchy(), command.node());
    return edit(command.hierarchy(), p -> p.switchover(command, outdated));
  }

  String answer(OperatorCommand.Answer command) {
    return edit(command.hierarchy(), p -> p.answer(command.confirm()));
  }

  String retire(OperatorCommand.Retire command) {
    String refused = nodeRefused(command.node());
    if (refused.isEmpty() && config.nodes().get(command.node()).witness()) {
      refused = command.node() + " is the witness, which runs nothing";
    }
    if (!refused.isEmpty()) {
      return refused;
    }
    retired.put(command.node(), command.rest());
    placements.replaceAll(
        (name, placement) -> {
          PlacementEdit edit = new PlacementEdit(placement, version, at);
          edit.notToward(command.node());
          return edit.done();
        });
    return "";
  }

  String activate(OperatorCommand.Activate command) {
    String refused = nodeRefused(command.node());
    if (refused.isEmpty() && retired.remove(command.node()) == null) {
      refused = command.node() + " is not retired";
    }
    return refused;
  }

  String maintain(OperatorCommand.Maintain command) {
    if (command.scope() == Scope.CLUSTER) {
      clusterMaintenance = command.on();
      return "";
    }
    boolean node = command.scope() == Scope.NODE;
    String refused = node ? nodeRefused(command.name()) : hierarchyRefused(command.name());
    if (refused.isEmpty()) {
      recorded(node ? nodeMaintenance : hierarchyMaintenance, command.name(), command.on());
    }
    return refused;
  }

  String refused(ActionRefused command) {
    return events.endsWith(command) ? "it is recorded already" : "";
  }

  String notified(Notified command) {
    if (command.event() <= notified.getOrDefault(command.target(), -1L)) {
      return "it is recorded already";
    }
    if (notified.size() >= ClusterState.NOTIFIED_MAX && !notified.containsKey(command.target())) {
      return "too many are told";
    }
    notified.put(command.target(), command.event());
    return "";
  }

  String lead(ClusterCommand.Lead command) {
    if (command.term() <= term) {
      return "term " + term + " has begun already";
    }
    term = command.term();
    leader = command.leader();
    silentPaths.removeIf(key -> ClusterCommand.SilentPath.isNetworkOf(leader, key));
    return "";
  }

  String place(ClusterCommand.Place command) {
    return edit(
        command.hierarchy(),
        p -> {
          if (p.stage != Stage.OUT || command.epoch() != p.epoch + 1 || !p.wanted) {
            return "it is not to be placed now";
          }
          if (retired.containsKey(command.node())) {
            return command.node() + " " + RETIRED;
          }
          String refused =
              copies.edit(
                  command.hierarchy(), config, wall, c -> c.acceptLoss(command, p.acceptLoss));
          if (refused.isEmpty()) {
            p.place(command);
          }
          return refused;
        });
  }

  String leave(ClusterCommand.Leave command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.HELD),
        p -> p.leave(command.toward(), !retired.containsKey(p.node)));
  }

  String revoke(ClusterCommand.Revoke command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.HELD, Stage.LEAVING),
        p -> p.revoke(command.toward()));
  }

  String release(ClusterCommand.Release command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.LEAVING, Stage.REVOKED),
        PlacementEdit::release);
  }

  String pend(ClusterCommand.Pend command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.HELD, Stage.OUT),
        p -> p.pending = new Pending(command.toward(), at, command.deadline(), Answer.NONE));
  }

  String unpend(ClusterCommand.Unpend command) {
    return editIn(
        command.hierarchy(), command.epoch(), Set.of(Stage.values()), p -> p.pending = null);
  }

  String halt(ClusterCommand.Halt command) {
    return edit(
        command.hierarchy(),
        p -> {
          p.halt(command.reason());
          return "";
        });
  }

  String waiting(ClusterCommand.Wait command) {
    return edit(
        command.hierarchy(),
        p -> {
          p.waiting = command.reason();
          return "";
        });
  }

  String blame(ClusterCommand.Blame command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.HELD, Stage.LEAVING, Stage.REVOKED),
        p -> p.blame(command, window(command.hierarchy())));
  }

  private long window(String hierarchy) {
    return config.hierarchies().get(hierarchy).policy().localRecoveryWindowMs();
  }

  String repaired(ClusterCommand.Repaired command) {
    return edit(
        command.hierarchy(),
        p -> {
          if (p.repaired != null && p.repaired.compareTo(command.mark()) >= 0) {
            return "it is recorded already";
          }
          p.repaired = command.mark();
          return "";
        });
  }

  String markCopies(ClusterCommand.MarkCopies command) {
    Placement placement = placements.get(command.hierarchy());
    // A primary without a lease is told of no mark, so that it leaves no copy behind.
    if (placement == null
        || !Set.of(Stage.HELD, Stage.LEAVING).contains(placement.stage())
        || placement.epoch() != command.mark().epoch()) {
      return "its primary does not have it any more";
    }
    Map<String, Long> since = joined.getOrDefault(command.hierarchy(), Map.of());
    return copies.edit(
        command.hierarchy(), config, wall, c -> c.mark(command, placement.node(), since));
  }

  String silent(ClusterCommand.Silent command) {
    return recorded(silentNodes, command.node(), command.silent());
  }

  String silentPath(ClusterCommand.SilentPath command) {
    return recorded(silentPaths, command.key(), command.silent());
  }

  private static String recorded(Set<String> names, String name, boolean on) {
    return (on ? names.add(name) : names.remove(name)) ? "" : "it is recorded already";
  }

  private String mayRunOn(String hierarchy, String node) {
    String refused = hierarchyRefused(hierarchy);
    if (!refused.isEmpty() || node.isEmpty()) {
      return refused;
    }
    Hierarchy known = config.hierarchies().get(hierarchy);
    if (!known.nodes().contains(node)) {
      return hierarchy + " cannot run on " + node + ", only on " + String.join(", ", known.nodes());
    }
    return retired.containsKey(node) ? node + " " + RETIRED + ": activate it first" : "";
  }

  private String hierarchyRefused(String name) {
    return placements.containsKey(name) ? "" : "no hierarchy is named " + name;
  }

  private String nodeRefused(String name) {
    return config != null && config.nodes().containsKey(name) ? "" : "no node is named " + name;
  }

  private String editIn(
      String hierarchy, long epoch, Set<Stage> stages, Consumer<PlacementEdit> change) {
    return edit(
        hierarchy,
        p -> {
          if (p.epoch != epoch || !stages.contains(p.stage)) {
            return "it is in epoch " + p.epoch + " and " + p.stage + " by now";
          }
          change.accept(p);
          return "";
        });
  }

  private String edit(String hierarchy, Function<PlacementEdit, String> change) {
    String refused = hierarchyRefused(hierarchy);
    if (!refused.isEmpty()) {
      return refused;
    }
    PlacementEdit edit = new PlacementEdit(placements.get(hierarchy), version, at);
    refused = change.apply(edit);
    if (refused.isEmpty()) {
      placements.put(hierarchy, edit.done());
    }
    return refused;
  }
}
