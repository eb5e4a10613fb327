package io.mgtm.ha.core;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Report.ResourceState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The resources of a machine, and the calls of kits. A resource is in service from the begin of a
 * call that brings it until it is really out.
 */
final class SimKits {
  private final SimMachine machine;
  private final Sim sim;
  private final Map<String, Map<String, Item>> items = new LinkedHashMap<>();
  private final Map<Long, Call> notBegun = new HashMap<>();
  private final Set<Long> cancelledEarly = new HashSet<>();

  boolean slow;
  boolean failing;
  boolean hanging;
  boolean lying;

  private static final class Item {
    boolean up;
    boolean works;
    Running running;
  }

  private static final class Running {
    final SimProcess process;
    final Call call;
    boolean stubborn;

    Running(SimProcess process, Call call) {
      this.process = process;
      this.call = call;
    }
  }

  SimKits(SimMachine machine) {
    this.machine = machine;
    this.sim = machine.sim;
    sim.config
        .hierarchies()
        .forEach(
            (name, hierarchy) -> {
              Map<String, Item> own = new LinkedHashMap<>();
              hierarchy.resources().keySet().forEach(each -> own.put(each, new Item()));
              items.put(name, own);
            });
  }

  void calm() {
    slow = false;
    failing = false;
    hanging = false;
    lying = false;
  }

  /** Whether any part of a hierarchy is in service here. */
  boolean has(String hierarchy) {
    for (Item item : items.get(hierarchy).values()) {
      if (item.up) {
        return true;
      }
    }
    return false;
  }

  boolean hasAll(String hierarchy) {
    for (Item item : items.get(hierarchy).values()) {
      if (!item.up || !item.works) {
        return false;
      }
    }
    return true;
  }

  /** Something fails by itself. */
  void breakSomething() {
    Map<String, Item> own = sim.any(new ArrayList<>(items.values()));
    sim.any(new ArrayList<>(own.values())).works = false;
  }

  void begin(SimProcess process, Call call) {
    notBegun.put(call.id(), call);
    sim.after(sim.between(1, 15), () -> process.run(() -> start(process, call)));
  }

  private void start(SimProcess process, Call call) {
    notBegun.remove(call.id());
    if (call.kind() == Kind.END) {
      sim.after(sim.between(10, 300), () -> process.run(() -> endNow(process, call)));
      return;
    }
    Item item = items.get(call.hierarchy()).get(call.resource());
    if (cancelledEarly.remove(call.id())) {
      process.ended(call.id(), failed());
      return;
    }
    if (item.running != null && item.running.process == process) {
      throw sim.violation("two calls at once for " + call.resource() + " on " + machine.name);
    }
    sim.trace(machine.name, "begins", call);
    Running running = new Running(process, call);
    item.running = running;
    boolean brings = call.kind() == Kind.IN_SERVICE || call.kind() == Kind.RECOVER;
    boolean refused =
        brings
            && call.resource().equals(SimConfigs.VOLUME)
            && sim.volumes.get(call.hierarchy()).refuses(machine.name, call.told());
    if (brings && !refused) {
      bring(call.hierarchy(), call.resource(), item);
    }
    if (hanging && sim.oneIn(3)) {
      running.stubborn = sim.oneIn(3);
    } else {
      sim.after(
          slow ? sim.between(100, 2_500) : sim.between(3, 120),
          () -> finish(item, running, !refused && (!failing || sim.oneIn(2))));
    }
    machine.atClock(call.deadline(), () -> cut(item, running));
  }

  private void bring(String hierarchy, String resource, Item item) {
    if (item.up) {
      return;
    }
    for (SimMachine other : sim.machines.values()) {
      if (other != machine && other.kits.has(hierarchy)) {
        throw sim.violation(
            hierarchy + " is in service on " + machine.name + " and on " + other.name);
      }
    }
    item.up = true;
    item.works = false;
    if (resource.equals(SimConfigs.VOLUME)) {
      sim.volumes.get(hierarchy).promote(machine.name);
    }
  }

  private void drop(String hierarchy, String resource, Item item) {
    item.up = false;
    item.works = false;
    if (resource.equals(SimConfigs.VOLUME)) {
      sim.volumes.get(hierarchy).demote(machine.name);
    }
  }

  private void finish(Item item, Running running, boolean well) {
    if (item.running != running) {
      return;
    }
    item.running = null;
    Call call = running.call;
    sim.trace(machine.name, "ends", call, well);
    Result result =
        switch (call.kind()) {
          case IN_SERVICE, RECOVER -> {
            item.works = well;
            yield well ? result(call, ResourceState.IN) : failed();
          }
          case OUT_OF_SERVICE -> {
            if (well) {
              drop(call.hierarchy(), call.resource(), item);
            }
            yield well ? result(call, ResourceState.OUT) : failed();
          }
          default -> {
            if (call.told().containsKey(CopyReport.NOTED)) {
              sim.volumes.get(call.hierarchy()).noted(machine.name, call.told());
            }
            yield result(call, lying && sim.oneIn(2) ? lie() : truth(item));
          }
        };
    sim.after(
        sim.between(0, 5),
        () -> running.process.run(() -> running.process.ended(call.id(), result)));
  }

  private static ResourceState truth(Item item) {
    if (!item.up) {
      return ResourceState.OUT;
    }
    return item.works ? ResourceState.IN : ResourceState.FAILED;
  }

  private ResourceState lie() {
    return sim.any(List.of(ResourceState.IN, ResourceState.OUT, ResourceState.FAILED));
  }

  private Result result(Call call, ResourceState state) {
    Map<String, String> data =
        call.resource().equals(SimConfigs.VOLUME)
            ? sim.volumes.get(call.hierarchy()).data(machine.name)
            : Map.of();
    return new Result(state, "simulated", data);
  }

  private static Result failed() {
    return new Result(ResourceState.FAILED, "simulated failure", Map.of());
  }

  /** Its deadline has come, or it is cancelled. */
  private void cut(Item item, Running running) {
    if (item.running == running && !running.stubborn) {
      item.running = null;
      running.process.run(() -> running.process.ended(running.call.id(), failed()));
    }
  }

  void cancel(SimProcess process, long callId) {
    for (Map<String, Item> own : items.values()) {
      for (Item item : own.values()) {
        Running running = item.running;
        if (running != null && running.process == process && running.call.id() == callId) {
          sim.after(sim.between(0, 100), () -> cut(item, running));
          return;
        }
      }
    }
    cancelledEarly.add(callId);
  }

  /** The watchdog has been asked to end a hierarchy. */
  private void endNow(SimProcess process, Call call) {
    boolean well = !failing || sim.oneIn(2);
    if (well) {
      for (Call other : notBegun.values()) {
        if (other.hierarchy().equals(call.hierarchy())) {
          cancelledEarly.add(other.id());
        }
      }
      endAll(call.hierarchy());
    }
    process.ended(
        call.id(), new Result(well ? ResourceState.OUT : ResourceState.FAILED, "", Map.of()));
  }

  /** All of a hierarchy is dead, and the calls for it. */
  void endAll(String hierarchy) {
    items
        .get(hierarchy)
        .forEach(
            (resource, item) -> {
              Running running = item.running;
              item.running = null;
              drop(hierarchy, resource, item);
              if (running != null) {
                running.process.run(() -> running.process.ended(running.call.id(), failed()));
              }
            });
  }

  /** The calls of a controller die with it; what they had done by then is done. */
  void controllerDied(SimProcess process) {
    cancelledEarly.clear();
    notBegun.clear();
    items.forEach(
        (hierarchy, own) ->
            own.forEach(
                (resource, item) -> {
                  Running running = item.running;
                  if (running == null || running.process != process) {
                    return;
                  }
                  item.running = null;
                  Kind kind = running.call.kind();
                  boolean changes =
                      kind == Kind.IN_SERVICE
                          || kind == Kind.RECOVER
                          || kind == Kind.OUT_OF_SERVICE;
                  if (changes && sim.oneIn(2)) {
                    drop(hierarchy, resource, item);
                  } else if (changes) {
                    item.works = item.up && sim.oneIn(2);
                  }
                }));
  }

  void powerOff() {
    cancelledEarly.clear();
    notBegun.clear();
    items.forEach(
        (hierarchy, own) ->
            own.forEach(
                (resource, item) -> {
                  item.running = null;
                  drop(hierarchy, resource, item);
                }));
  }
}
