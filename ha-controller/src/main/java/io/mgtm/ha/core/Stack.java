package io.mgtm.ha.core;

import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.model.Hierarchy;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The resources of a hierarchy on a node, by what stands on what. */
final class Stack {
  private final Hierarchy hierarchy;
  private final NodeAgent agent;

  /** Those that others stand on first. */
  private final Map<String, AgentResource> bottomUp = new LinkedHashMap<>();

  private final List<AgentResource> topDown = new ArrayList<>();

  Stack(String name, Hierarchy hierarchy, NodeAgent agent) {
    this.hierarchy = hierarchy;
    this.agent = agent;
    for (String resource : hierarchy.bottomUp()) {
      AgentResource added =
          new AgentResource(resource, hierarchy.resources().get(resource), name, agent);
      bottomUp.put(resource, added);
      topDown.add(0, added);
    }
  }

  /** Null when none has this name. */
  AgentResource get(String resource) {
    return bottomUp.get(resource);
  }

  Collection<AgentResource> bottomUp() {
    return bottomUp.values();
  }

  Set<String> names() {
    return Set.copyOf(bottomUp.keySet());
  }

  /** Whether a resource is to be out of service while another is repaired. */
  private boolean fallsWith(String resource, String repaired) {
    return !agent.effects().isRepairedAlone(hierarchy.resources().get(repaired).kit())
        && standsOn(resource, repaired);
  }

  boolean standsOn(String resource, String below) {
    for (String on : hierarchy.resources().get(resource).on()) {
      if (on.equals(below) || (!on.equals(resource) && standsOn(on, below))) {
        return true;
      }
    }
    return false;
  }

  /** Begins a check of each that nothing is known of. */
  void look(long now) {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.state == ResourceState.UNKNOWN && resource.call == null) {
        resource.begin(Call.Kind.QUICK_CHECK, now);
      }
    }
  }

  /** Begins the quick checks that are due, in whatever state a resource is. */
  void checkAll(long now) {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.call == null && now >= resource.nextQuickCheck) {
        resource.begin(Call.Kind.QUICK_CHECK, now);
      }
    }
  }

  /** Brings the next in service, from below; whether all are. */
  boolean raise(long now) {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.state != ResourceState.IN) {
        if (resource.act(Call.Kind.IN_SERVICE, now)) {
          resource.state = ResourceState.STARTING;
        }
        return false;
      }
    }
    return true;
  }

  /** Takes the next out, from above; whether all are. */
  boolean lower(long now) {
    for (AgentResource resource : topDown) {
      if (resource.state != ResourceState.OUT) {
        if (resource.act(Call.Kind.OUT_OF_SERVICE, now)) {
          resource.state = ResourceState.STOPPING;
        }
        return false;
      }
    }
    return true;
  }

  /** Takes out what is to be out while one is repaired; whether all of that is. */
  boolean clear(String repaired, long now) {
    for (AgentResource resource : topDown) {
      if (resource.state != ResourceState.OUT && fallsWith(resource.name, repaired)) {
        resource.act(Call.Kind.OUT_OF_SERVICE, now);
        return false;
      }
    }
    return true;
  }

  /** Begins the checks that are due of what is in service. */
  void check(long now) {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.state == ResourceState.IN && resource.call == null) {
        Call.Kind due = resource.dueCheck(now);
        if (due != null) {
          resource.begin(due, now);
        }
      }
    }
  }

  /**
   * The same of what speaks of copies: what stands on a primary that waits to go on without a copy
   * could not be taken out.
   */
  void checkCopies(long now) {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.word != null
          && resource.state == ResourceState.IN
          && resource.call == null
          && now >= resource.nextQuickCheck) {
        resource.begin(Call.Kind.QUICK_CHECK, now);
      }
    }
  }

  /** The same of what a resource stands on: it may be that which has failed. */
  void checkBelow(String repaired, long now) {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.state == ResourceState.IN
          && resource.call == null
          && now >= resource.nextQuickCheck
          && standsOn(repaired, resource.name)) {
        resource.begin(Call.Kind.QUICK_CHECK, now);
      }
    }
  }

  /** Cancels a call that is under way; whether there is one. */
  boolean cancelsACall() {
    for (AgentResource resource : bottomUp.values()) {
      if (resource.call != null) {
        resource.cancel();
        return true;
      }
    }
    return false;
  }

  /** Whether no call is under way. */
  boolean isIdle() {
    return bottomUp.values().stream().allMatch(resource -> resource.call == null);
  }

  boolean any(ResourceState state) {
    return bottomUp.values().stream().anyMatch(resource -> resource.state == state);
  }

  boolean all(ResourceState state) {
    return bottomUp.values().stream().allMatch(resource -> resource.state == state);
  }

  Map<String, ResourceState> states() {
    Map<String, ResourceState> states = new LinkedHashMap<>();
    bottomUp.forEach((each, resource) -> states.put(each, resource.state));
    return states;
  }

  /** What people are shown, by resource. */
  Map<String, Map<String, String>> facts(Facts room) {
    Map<String, Map<String, String>> facts = new LinkedHashMap<>();
    bottomUp.forEach(
        (each, resource) -> {
          if (!resource.data.isEmpty()) {
            facts.put(each, room.of(resource.data));
          }
        });
    return facts;
  }

  /** What is known of copies, by resource. */
  Map<String, CopyReport> copies() {
    Map<String, CopyReport> copies = new LinkedHashMap<>();
    bottomUp.forEach(
        (each, resource) -> {
          CopyReport word = resource.copies(agent.node());
          if (word != null) {
            copies.put(each, word);
          }
        });
    return copies;
  }

  /** What of it has failed in maintenance; what is said otherwise when nothing has. */
  String leftAlone(String otherwise) {
    return bottomUp().stream()
        .filter(resource -> resource.leftAlone)
        .map(resource -> resource.name + " " + Report.LEFT_ALONE)
        .findFirst()
        .orElse(otherwise);
  }
}
