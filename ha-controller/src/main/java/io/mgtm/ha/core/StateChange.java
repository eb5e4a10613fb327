package io.mgtm.ha.core;

import io.mgtm.ha.core.ClusterCommand.Scope;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Placement.Answer;
import io.mgtm.ha.core.Placement.Failure;
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

  private long version;
  private long at;
  private long wall;
  private long term;
  private String leader;
  private ClusterConfig config;
  private long configVersion;
  private final Map<String, Placement> placements;
  private final Map<String, Map<String, Copies>> copies;
  private boolean clusterMaintenance;
  private final Set<String> nodeMaintenance;
  private final Set<String> hierarchyMaintenance;
  private final Set<String> silentNodes;
  private final EventLog events;
  private final Map<String, Long> notified;

  StateChange(ClusterState from) {
    version = from.version();
    at = from.at();
    term = from.term();
    leader = from.leader();
    config = from.config();
    configVersion = from.configVersion();
    placements = new TreeMap<>(from.placements());
    copies = new TreeMap<>(from.copies());
    clusterMaintenance = from.clusterMaintenance();
    nodeMaintenance = new TreeSet<>(from.nodeMaintenance());
    hierarchyMaintenance = new TreeSet<>(from.hierarchyMaintenance());
    silentNodes = new TreeSet<>(from.silentNodes());
    events = new EventLog(from);
    notified = new TreeMap<>(from.notified());
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
        Collections.unmodifiableMap(copies),
        clusterMaintenance,
        Collections.unmodifiableSet(nodeMaintenance),
        Collections.unmodifiableSet(hierarchyMaintenance),
        Collections.unmodifiableSet(silentNodes),
        events.last(),
        events.kept(),
        Collections.unmodifiableMap(notified));
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

  String configure(ClusterCommand.Configure command) {
    ClusterConfig next = command.config();
    String refused =
        command.version() != configVersion
            ? "the configuration has been changed meanwhile and has version " + configVersion
            : ConfigChange.refusal(config, next, placements);
    if (!refused.isEmpty()) {
      return refused;
    }
    config = next;
    configVersion++;
    placements.keySet().retainAll(next.hierarchies().keySet());
    copies.keySet().retainAll(next.hierarchies().keySet());
    hierarchyMaintenance.retainAll(next.hierarchies().keySet());
    nodeMaintenance.retainAll(next.nodes().keySet());
    silentNodes.retainAll(next.nodes().keySet());
    for (String name : next.hierarchies().keySet()) {
      placements.putIfAbsent(name, Placement.NEW);
    }
    return "";
  }

  String start(ClusterCommand.Start command) {
    if (command.acceptLoss() && command.node().isEmpty()) {
      return "to accept loss, name the node whose copy shall be used";
    }
    String refused = mayRunOn(command.hierarchy(), command.node());
    return !refused.isEmpty()
        ? refused
        : edit(
            command.hierarchy(),
            p -> {
              boolean failed = p.failures.containsKey(p.node);
              if (p.stage == Stage.HELD && !Set.of("", p.node).contains(command.node())) {
                return "it is on " + p.node + ": use switchover to move it";
              }
              if (p.stage == Stage.HELD && command.acceptLoss()) {
                return "it is on " + p.node + " already, with the newest copy";
              }
              p.wanted = true;
              p.forgive();
              if (p.stage == Stage.HELD && failed) {
                p.to(Stage.LEAVING, version);
                p.toward = p.node;
              } else if (p.stage != Stage.HELD) {
                p.toward = command.node();
                p.acceptLoss = command.acceptLoss() ? command.node() : "";
              }
              return "";
            });
  }

  String stop(ClusterCommand.Stop command) {
    return edit(
        command.hierarchy(),
        p -> {
          p.wanted = false;
          p.toward = "";
          p.acceptLoss = "";
          p.forgive();
          if (p.stage == Stage.HELD) {
            p.to(Stage.LEAVING, version);
          }
          return "";
        });
  }

  String switchover(ClusterCommand.Switchover command) {
    String refused =
        command.node().isEmpty()
            ? "name the node that it shall move to"
            : mayRunOn(command.hierarchy(), command.node());
    return !refused.isEmpty()
        ? refused
        : edit(
            command.hierarchy(),
            p -> {
              if (!p.wanted) {
                return "it is stopped: start it first";
              }
              if (p.stage == Stage.HELD && p.node.equals(command.node())) {
                return "it is on " + p.node + " already";
              }
              if (!command.acceptLoss()) {
                String outdated = outdated(command.hierarchy(), command.node());
                if (!outdated.isEmpty()) {
                  return outdated;
                }
              }
              p.forgive();
              p.toward = command.node();
              p.acceptLoss = command.acceptLoss() ? command.node() : "";
              if (p.stage == Stage.HELD) {
                p.to(Stage.LEAVING, version);
              }
              return "";
            });
  }

  private String outdated(String hierarchy, String node) {
    for (Map.Entry<String, Copies> known : copies.getOrDefault(hierarchy, Map.of()).entrySet()) {
      String why = known.getValue().whyNot(known.getKey(), node);
      if (!why.isEmpty()) {
        return node + ": " + why + "; wait for its resync, or accept that loss";
      }
    }
    return "";
  }

  String answer(ClusterCommand.Answer command) {
    return edit(
        command.hierarchy(),
        p -> {
          if (p.pending == null) {
            return "no failover of it is pending";
          }
          p.pending =
              new Pending(
                  p.pending.toward(),
                  p.pending.since(),
                  p.pending.deadline(),
                  command.confirm() ? Answer.CONFIRMED : Answer.CANCELLED);
          return "";
        });
  }

  String maintain(ClusterCommand.Maintain command) {
    if (command.scope() == Scope.CLUSTER) {
      clusterMaintenance = command.on();
      return "";
    }
    boolean node = command.scope() == Scope.NODE;
    boolean known =
        node
            ? config != null && config.nodes().containsKey(command.name())
            : placements.containsKey(command.name());
    if (!known) {
      return (node ? "no node" : "no hierarchy") + " is named " + command.name();
    }
    Set<String> names = node ? nodeMaintenance : hierarchyMaintenance;
    if (command.on()) {
      names.add(command.name());
    } else {
      names.remove(command.name());
    }
    return "";
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
    return "";
  }

  String place(ClusterCommand.Place command) {
    return edit(
        command.hierarchy(),
        p -> {
          if (p.stage != Stage.OUT || command.epoch() != p.epoch + 1 || !p.wanted) {
            return "it is not to be placed now";
          }
          String refused =
              editCopies(command.hierarchy(), c -> c.acceptLoss(command, p.acceptLoss));
          if (!refused.isEmpty()) {
            return refused;
          }
          p.to(Stage.HELD, version);
          p.node = command.node();
          p.last = command.node();
          p.epoch = command.epoch();
          p.toward = "";
          p.acceptLoss = "";
          p.waiting = "";
          p.pending = null;
          return "";
        });
  }

  String leave(ClusterCommand.Leave command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.HELD),
        p -> {
          p.to(Stage.LEAVING, version);
          p.toward = command.toward();
          p.pending = null;
          p.countFailover(at);
        });
  }

  String revoke(ClusterCommand.Revoke command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.HELD, Stage.LEAVING),
        p -> {
          if (p.stage == Stage.HELD) {
            p.toward = command.toward();
            p.countFailover(at);
          }
          p.to(Stage.REVOKED, version);
          p.pending = null;
          p.waiting = "";
        });
  }

  String release(ClusterCommand.Release command) {
    return editIn(
        command.hierarchy(),
        command.epoch(),
        Set.of(Stage.LEAVING, Stage.REVOKED),
        p -> {
          p.to(Stage.OUT, version);
          p.node = "";
        });
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
          p.halted = command.reason();
          p.waiting = "";
          p.pending = null;
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
        p ->
            p.failures.put(
                p.node, new Failure(at, command.epoch(), command.resource(), command.detail())));
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
    return editCopies(command.hierarchy(), c -> c.mark(command));
  }

  private String editCopies(String hierarchy, Function<CopiesEdit, String> change) {
    CopiesEdit edit =
        new CopiesEdit(
            copies.getOrDefault(hierarchy, Map.of()),
            config.hierarchies().get(hierarchy).nodes(),
            wall);
    String refused = change.apply(edit);
    if (refused.isEmpty() && !edit.done().isEmpty()) {
      copies.put(hierarchy, edit.done());
    }
    return refused;
  }

  String silent(ClusterCommand.Silent command) {
    boolean changed =
        command.silent() ? silentNodes.add(command.node()) : silentNodes.remove(command.node());
    return changed ? "" : "it is recorded already";
  }

  private String mayRunOn(String hierarchy, String node) {
    Hierarchy known = config == null ? null : config.hierarchies().get(hierarchy);
    if (known == null) {
      return "no hierarchy is named " + hierarchy;
    }
    return node.isEmpty() || known.nodes().contains(node)
        ? ""
        : hierarchy + " cannot run on " + node + ", only on " + String.join(", ", known.nodes());
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
    Placement before = placements.get(hierarchy);
    if (before == null) {
      return "no hierarchy is named " + hierarchy;
    }
    PlacementEdit edit = new PlacementEdit(before);
    String refused = change.apply(edit);
    if (refused.isEmpty()) {
      placements.put(hierarchy, edit.done());
    }
    return refused;
  }
}
