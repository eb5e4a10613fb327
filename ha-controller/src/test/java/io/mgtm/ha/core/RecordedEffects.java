package io.mgtm.ha.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.model.Hierarchy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What an agent does, for a test to look at; calls end when the test says so. */
abstract class RecordedEffects implements NodeEffects {
  final List<Call> calls = new ArrayList<>();
  final List<Long> cancelled = new ArrayList<>();
  final Set<Long> waiting = new HashSet<>();
  final List<String> guards = new ArrayList<>();
  final Map<String, Hierarchy> used = new HashMap<>();
  String repairedAlone = "";
  Heartbeat last;
  long overtakenBy;

  @Override
  public void send(Heartbeat heartbeat) {
    last = heartbeat;
  }

  @Override
  public void overtaken(long by) {
    overtakenBy = by;
  }

  @Override
  public void uses(String name, Hierarchy hierarchy) {
    used.put(name, hierarchy);
  }

  @Override
  public void call(Call call) {
    calls.add(call);
  }

  @Override
  public boolean isWaiting(long callId) {
    return waiting.contains(callId);
  }

  @Override
  public boolean isRepairedAlone(String kit) {
    return kit.equals(repairedAlone);
  }

  @Override
  public void cancel(long callId) {
    cancelled.add(callId);
  }

  @Override
  public void guard(String hierarchy, Set<String> resources, long deadline, int guardMs) {
    assertThat(guardMs).as("the watchdog's time to act in").isPositive();
    guards.add(resources.isEmpty() ? "none" : "until " + deadline);
  }
}
