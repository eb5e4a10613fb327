package io.mgtm.ha.node;

import io.mgtm.ha.core.Call;
import io.mgtm.ha.core.DiskReport;
import io.mgtm.ha.core.Heartbeat;
import io.mgtm.ha.core.NodeEffects;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.Kit;
import io.mgtm.ha.kit.KitContext;
import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.kit.Programs;
import io.mgtm.ha.model.Hierarchy;
import io.mgtm.ha.watchdog.GuardPlan;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the node's agent does to the world. Owner thread. */
final class AgentEffects implements NodeEffects, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(AgentEffects.class);
  private static final CompletableFuture<Void> NOW = CompletableFuture.completedFuture(null);

  private final HaNode node;
  private final NodeSetup setup;
  private final KitCalls calls;
  private final RuntimeFolder runtime;
  private final Guardian guardian;

  /** What was guarded last, by hierarchy, and when that was sure. */
  private final Map<String, CompletableFuture<?>> guards = new HashMap<>();

  /** Folders of resources where nothing runs that an earlier controller's calls had begun. */
  private final Set<Path> formerEnded = ConcurrentHashMap.newKeySet();

  /** As they are in use; of removed hierarchies too, until they are out. */
  private final Map<String, Hierarchy> hierarchies = new HashMap<>();

  AgentEffects(HaNode node, NodeSetup setup) throws IOException {
    this.node = node;
    this.setup = setup;
    this.calls = new KitCalls((id, result) -> node.soon(() -> ended(id, result)), node::later);
    String device = setup.config().nodes().get(setup.node()).watchdogDevice();
    this.runtime = RuntimeFolder.take(setup.runtime());
    try {
      this.guardian =
          WatchdogGuardian.start(setup.runtime(), setup.config().timing().guardMs(), device);
    } catch (IOException e) {
      runtime.close();
      throw e;
    }
  }

  /** See {@link Guardian#hasFormer}. */
  boolean hasFormer() {
    return guardian.hasFormer();
  }

  @Override
  public void overtaken(long by) {
    if (node.failure().isDone()) {
      return;
    }
    try {
      Incarnation.above(setup.data(), by);
      node.failed(
          new IOException(
              "the others have heard incarnation %d of %s before: %s was emptied or is an older copy,"
                      .formatted(by, setup.node(), setup.data())
                  + " and this machine's clock is behind, or another machine had this name. It counts"
                  + " on from there when it is started again"));
    } catch (IOException e) {
      node.failed(e);
    }
  }

  @Override
  public DiskReport disk() {
    return node.disk();
  }

  @Override
  public void uses(String name, Hierarchy hierarchy) {
    hierarchies.put(name, hierarchy);
  }

  private void ended(long id, Call.Result result) {
    calls.forget(id);
    node.agent().ended(id, result, node.nowMs());
  }

  @Override
  public void send(Heartbeat heartbeat) {
    node.send(heartbeat);
  }

  @Override
  public void call(Call call) {
    long leftMs = Math.max(1, call.deadline() - node.nowMs());
    if (call.kind() == Call.Kind.END) {
      end(call, leftMs);
    } else {
      boolean begins = call.kind() == Call.Kind.IN_SERVICE || call.kind() == Call.Kind.RECOVER;
      CompletableFuture<?> guarded = begins ? guards.getOrDefault(call.hierarchy(), NOW) : NOW;
      KitContext context = context(call.hierarchy(), call.resource(), call.told(), leftMs);
      String kit = hierarchies.get(call.hierarchy()).resources().get(call.resource()).kit();
      calls.begin(
          call,
          leftMs,
          guarded,
          () -> {
            endFormer(context.runtime());
            return KitCalls.result(call.kind(), setup.kits().of(kit), context);
          });
    }
  }

  /** Nothing runs any more of what an earlier controller's calls had under way. On their thread. */
  private void endFormer(Path folder) throws KitException, InterruptedException {
    if (!formerEnded.contains(folder)) {
      Programs.endFormer(folder);
      formerEnded.add(folder);
    }
  }

  private void end(Call call, long leftMs) {
    calls.interruptAll(call.hierarchy());
    GuardPlan plan = plan(call.hierarchy(), hierarchies.get(call.hierarchy()).resources().keySet());
    calls.begin(
        call,
        leftMs,
        calls.ended(call.hierarchy(), call.id()),
        () -> {
          guardian.end(call.hierarchy(), plan);
          return new Call.Result(ResourceState.OUT, "ended at once", Map.of());
        });
  }

  @Override
  public boolean isRepairedAlone(String kit) {
    try {
      return setup.kits().of(kit).isRepairedAlone();
    } catch (KitException e) {
      return false; // it cannot be brought in service either
    }
  }

  private KitContext context(
      String hierarchy, String resource, Map<String, String> told, long deadlineMs) {
    Hierarchy of = hierarchies.get(hierarchy);
    Map<String, String> parameters =
        new LinkedHashMap<>(of.resources().get(resource).parametersOn(setup.node()));
    parameters.putAll(told);
    List<String> peers = of.nodes().stream().filter(peer -> !peer.equals(setup.node())).toList();
    return new KitContext(
        hierarchy,
        resource,
        setup.node(),
        peers,
        parameters,
        setup.runtime().resolve(hierarchy).resolve(resource),
        deadlineMs);
  }

  @Override
  public boolean isWaiting(long callId) {
    return calls.isWaiting(callId);
  }

  @Override
  public void cancel(long callId) {
    calls.interrupt(callId);
  }

  @Override
  public void guard(String hierarchy, Set<String> resources, long deadline, int guardMs) {
    guards.put(hierarchy, guardian.guard(hierarchy, plan(hierarchy, resources), deadline, guardMs));
  }

  private GuardPlan plan(String hierarchy, Set<String> resources) {
    Hierarchy of = hierarchies.get(hierarchy);
    Map<String, List<GuardStep>> steps = new HashMap<>();
    for (String name : resources) {
      try {
        Kit kit = setup.kits().of(of.resources().get(name).kit());
        steps.put(name, kit.guard(context(hierarchy, name, Map.of(), 0)));
      } catch (KitException e) {
        // It cannot be brought in service either.
        log.error("{} of {} is not guarded: {}", name, hierarchy, e.getMessage());
      }
    }
    return GuardPlan.of(of, steps);
  }

  @Override
  public void close() {
    calls.close();
    guardian.close();
    try {
      runtime.close();
    } catch (IOException e) {
      log.warn("Leaving the folder {}: {}", setup.runtime(), e.getMessage());
    }
  }
}
