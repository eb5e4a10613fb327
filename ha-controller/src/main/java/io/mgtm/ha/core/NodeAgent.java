package io.mgtm.ha.core;

import io.mgtm.ha.model.ClusterConfig;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.model.Timing;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * What every node does: keeps its leases, and has in service what they name. Owner thread.
 *
 * <p>A controller that begins touches nothing before a first grant has told it what shall be: it
 * looks, and what is named and in service is adopted as it is. When a lease is about to end, all of
 * the hierarchy is ended at once through the watchdog; if that is not done by the lease's end, the
 * watchdog does it, and ends the controller.
 */
public final class NodeAgent {
  private final String node;
  private final long incarnation;
  private final NodeEffects effects;
  private final Map<String, HierarchyAgent> hierarchies = new TreeMap<>();
  private final Map<Long, Call> calls = new HashMap<>();
  private ClusterConfig config;
  private Map<String, Map<String, Long>> joined = Map.of();
  private Seen seen = Seen.NOTHING;
  private long answered;
  private Grant newest;
  private long seq;
  private long lastCall;
  private long nextHeartbeat = Long.MIN_VALUE;
  private boolean changed;

  /**
   * For the node of this name.
   *
   * @param incarnation higher than that of any earlier start on this node
   */
  public NodeAgent(String node, long incarnation, NodeEffects effects) {
    this.node = node;
    this.incarnation = incarnation;
    this.effects = effects;
  }

  /**
   * The configuration, when it is known and whenever it changes.
   *
   * @param nowJoined see {@link ClusterState#joined}
   */
  public void configured(
      ClusterConfig newConfig, Map<String, Map<String, Long>> nowJoined, long now) {
    config = newConfig;
    joined = nowJoined;
    nextHeartbeat = Math.min(nextHeartbeat, now + timing().heartbeatMs());
    for (Map.Entry<String, Hierarchy> each : config.hierarchies().entrySet()) {
      HierarchyAgent agent = hierarchies.get(each.getKey());
      if (agent != null) {
        agent.configured(each.getValue());
      } else if (each.getValue().nodes().contains(node)) {
        HierarchyAgent added = new HierarchyAgent(each.getKey(), each.getValue(), this);
        hierarchies.put(each.getKey(), added);
        if (newest != null) {
          order(each.getKey(), added);
        }
      }
    }
    step(now);
  }

  /** A grant came, on whatever path; copies and late ones are welcome. */
  public void granted(Grant grant, long now) {
    if (!grant.node().equals(node)) {
      return;
    }
    if (!grant.answers()) {
      if (grant.incarnation() > incarnation) {
        effects.overtaken(grant.incarnation());
      }
      return;
    }
    if (grant.incarnation() != incarnation || grant.seen().compareTo(seen) < 0) {
      return;
    }
    seen = grant.seen();
    answered = Math.max(answered, grant.seq());
    newest = grant;
    hierarchies.forEach(this::order);
    step(now);
  }

  private void order(String name, HierarchyAgent agent) {
    agent.ordered(newest.orders().get(name), newest);
  }

  /** A call has ended; see {@link NodeEffects#call}. */
  public void ended(long callId, Call.Result result, long now) {
    Call call = calls.remove(callId);
    if (call == null) {
      return;
    }
    HierarchyAgent agent = hierarchies.get(call.hierarchy());
    if (agent != null) {
      agent.ended(call, result, now);
    }
    step(now);
  }

  /**
   * An operator asks for a deep check of what is in service: it begins now, or when the call that
   * is under way has ended. What it finds is treated as what any check finds.
   *
   * @param told what was found; not told when it does not come to a check any more
   * @return whether it is in service here
   */
  public boolean checkNow(String hierarchy, String resource, Consumer<Call.Result> told, long now) {
    HierarchyAgent agent = hierarchies.get(hierarchy);
    AgentResource of = agent == null ? null : agent.inService(resource);
    if (of != null) {
      of.checkNow(told);
      step(now);
    }
    return of != null;
  }

  /** Time has passed; to be called several times in each {@code heartbeatMs}. */
  public void tick(long now) {
    step(now);
  }

  private void step(long now) {
    for (HierarchyAgent agent : new ArrayList<>(hierarchies.values())) {
      agent.step(now);
    }
    if (config != null) {
      hierarchies
          .entrySet()
          .removeIf(
              each -> {
                Hierarchy known = config.hierarchies().get(each.getKey());
                return (known == null || !known.nodes().contains(node)) && each.getValue().isDone();
              });
    }
    if (changed || now >= nextHeartbeat) {
      changed = false;
      nextHeartbeat = now + timing().heartbeatMs();
      send(now);
    }
  }

  private void send(long now) {
    Map<String, Report> reports = new TreeMap<>();
    String cluster = config == null ? "" : config.cluster();
    int bytes = config == null ? 0 : HeartbeatSize.head(config, node);
    for (HierarchyAgent agent : hierarchies.values()) {
      bytes += agent.reportBytes();
    }
    Facts facts = new Facts(HeartbeatSize.room(bytes));
    hierarchies.forEach((name, agent) -> reports.put(name, agent.report(facts)));
    seq++;
    effects.send(
        new Heartbeat(
            cluster, node, incarnation, seq, now, seen, answered, reports, effects.disk()));
  }

  /** Names of hierarchies that have a part on this node. */
  public List<String> hierarchies() {
    return List.copyOf(hierarchies.keySet());
  }

  String node() {
    return node;
  }

  long incarnation() {
    return incarnation;
  }

  /** Whether a grant has come. */
  boolean isTold() {
    return newest != null;
  }

  /** See {@link Mark#joins}. */
  long joins(String hierarchy) {
    return Joins.last(joined, hierarchy);
  }

  /** The same, as the kits of a hierarchy know it. */
  long joinsUsed(String hierarchy) {
    return hierarchies.get(hierarchy).joins();
  }

  NodeEffects effects() {
    return effects;
  }

  int heartbeatMs() {
    return timing().heartbeatMs();
  }

  int guardMs() {
    return timing().guardMs();
  }

  private Timing timing() {
    return config == null ? Timing.defaults() : config.timing();
  }

  /** What others are told has changed. */
  void changed() {
    changed = true;
  }

  Call call(
      String hierarchy, String resource, Call.Kind kind, long deadline, Map<String, String> told) {
    lastCall++;
    Call call = new Call(lastCall, hierarchy, resource, kind, deadline, told);
    calls.put(lastCall, call);
    effects.call(call);
    return call;
  }
}
