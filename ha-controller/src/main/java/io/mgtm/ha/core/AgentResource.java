package io.mgtm.ha.core;

import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.model.Resource;
import java.util.Map;
import java.util.Objects;

/** A resource as the agent knows it. */
final class AgentResource {
  private final String hierarchy;
  private final NodeAgent agent;
  final String name;
  final Pace pace;
  ResourceState state = ResourceState.UNKNOWN;
  String detail = "";

  /** The one call that is under way; null when none is. */
  Call call;

  boolean cancelled;
  long nextQuickCheck;
  long nextDeepCheck;

  Map<String, String> data = Map.of();

  /** The word on copies as it was last given by this incarnation, null when it never had one. */
  CopyReport word;

  /** What the kit said when that word was taken from it. */
  Map<String, String> wordData = Map.of();

  /** Whether the kit has been told that the state has this word. */
  boolean told;

  AgentResource(String name, Resource resource, String hierarchy, NodeAgent agent) {
    this.name = name;
    this.pace = Pace.of(resource, agent.node());
    this.hierarchy = hierarchy;
    this.agent = agent;
  }

  void begin(Call.Kind kind, long now) {
    cancelled = false;
    call = agent.call(hierarchy, name, kind, now + pace.deadlineMs(kind));
  }

  /** Begins a call that changes something, when its other calls have ended. */
  boolean act(Call.Kind kind, long now) {
    if (call == null) {
      begin(kind, now);
      return true;
    }
    if (call.kind() != kind) {
      cancel();
    }
    return false;
  }

  void cancel() {
    if (!cancelled) {
      cancelled = true;
      agent.effects().cancel(call.id());
    }
  }

  /** Whether this call is to be made now, and which. */
  Call.Kind dueCheck(long now) {
    if (now >= nextDeepCheck) {
      return Call.Kind.DEEP_CHECK;
    }
    return now >= nextQuickCheck ? Call.Kind.QUICK_CHECK : null;
  }

  void checked(Call.Kind kind, long now) {
    if (kind == Call.Kind.DEEP_CHECK) {
      nextDeepCheck = now + pace.deepCheckMs();
    }
    nextQuickCheck = now + pace.quickCheckMs();
  }

  /** Whether these data say the same of copies as the last word, which was of this epoch. */
  boolean sameWord(Map<String, String> next, long epoch) {
    return word != null
        && word.mark().epoch() == epoch
        && Objects.equals(wordData.get(CopyReport.IN_SYNC), next.get(CopyReport.IN_SYNC))
        && Objects.equals(wordData.get(CopyReport.TOKEN), next.get(CopyReport.TOKEN))
        && Objects.equals(wordData.get(CopyReport.GUARDED), next.get(CopyReport.GUARDED));
  }

  /** What the leader is told of its copies, null when it has none. */
  CopyReport copies(String node) {
    if (!data.containsKey(CopyReport.COPY) && word == null) {
      return null;
    }
    CopyReport own = CopyReport.of(data, node, null);
    return word == null
        ? own
        : new CopyReport(own.copy(), word.mark(), word.inSync(), word.guarded());
  }
}
