package io.mgtm.ha.core;

import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Grant.Copies;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.model.Resource;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

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

  /** Until when that is to have ended. */
  private long deadline;

  boolean cancelled;

  /** Whether it has failed in maintenance, and was not seen well since. */
  boolean leftAlone;

  long nextQuickCheck;
  long nextDeepCheck;

  /** Told of the next deep check; null while nobody has asked for it. */
  private Consumer<Result> asked;

  /** Told of the call that is under way; null when nobody waits for it. */
  private Consumer<Result> awaited;

  Map<String, String> data = Map.of();

  /** The word on copies as it was last given by this incarnation, null when it never had one. */
  CopyReport word;

  /** See {@link Mark#joins}, when the last call began: what its kit says may be as old. */
  long joinsKnown;

  /** What the kit said when that word was taken from it. */
  Map<String, String> wordData = Map.of();

  /** What the state has of its copies, by the newest orders; null when it has nothing. */
  Copies granted;

  /** Whether a check shall tell the kit, at once, that the state has its word. */
  boolean toTell;

  AgentResource(String name, Resource resource, String hierarchy, NodeAgent agent) {
    this.name = name;
    this.pace = Pace.of(resource, agent.node());
    this.hierarchy = hierarchy;
    this.agent = agent;
  }

  void begin(Call.Kind kind, long now) {
    cancelled = false;
    joinsKnown = agent.joinsUsed(hierarchy);
    if (kind == Call.Kind.DEEP_CHECK) {
      awaited = asked;
      asked = null;
    }
    deadline = now + pace.deadlineMs(kind);
    call = agent.call(hierarchy, name, kind, deadline, told(kind));
  }

  /** Whether its call should have ended; the time of one that waits for its turn begins then. */
  boolean isOverdue(long now) {
    if (call != null && agent.effects().isWaiting(call.id())) {
      deadline = now + pace.deadlineMs(call.kind());
    }
    return call != null && now > deadline + HierarchyAgent.GRACE_MS;
  }

  private Map<String, String> told(Call.Kind kind) {
    return switch (kind) {
      case IN_SERVICE, RECOVER -> granted == null ? Map.of() : granted.grounds(agent.node());
      case QUICK_CHECK, DEEP_CHECK -> {
        toTell = false;
        if (!agent.isTold()) {
          yield Map.of(CopyReport.LOOKS, "true");
        }
        yield isNoted() ? Map.of(CopyReport.NOTED, token()) : Map.of();
      }
      case OUT_OF_SERVICE, END -> Map.of();
    };
  }

  private String token() {
    return wordData.getOrDefault(CopyReport.TOKEN, "");
  }

  /** Whether the state has the word that the kit waits for. */
  boolean isNoted() {
    return word != null
        && granted != null
        && granted.mark().equals(word.mark())
        && !token().isEmpty();
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
    if (asked != null || now >= nextDeepCheck) {
      return Call.Kind.DEEP_CHECK;
    }
    return now >= nextQuickCheck ? Call.Kind.QUICK_CHECK : null;
  }

  /** Has it checked deeply as soon as its present call has ended. */
  void checkNow(Consumer<Result> told) {
    asked = asked == null ? told : asked.andThen(told);
  }

  private void tell(Result result) {
    if (awaited != null) {
      awaited.accept(result);
      awaited = null;
    }
  }

  /** What was under way did not end, and was ended with all of the hierarchy. */
  void killed() {
    call = null;
    state = ResourceState.FAILED;
    tell(new Result(state, "the check did not end, and all was ended", Map.of()));
  }

  void checked(Call.Kind kind, Result result, long now) {
    leftAlone &= result.state() != ResourceState.IN;
    tell(
        cancelled
            ? new Result(ResourceState.UNKNOWN, "it is taken out of service now", Map.of())
            : result);
    if (kind == Call.Kind.DEEP_CHECK) {
      nextDeepCheck = now + pace.deepCheckMs();
    }
    // A primary that waits for a mark is not to wait long.
    boolean speaks = word != null && state == ResourceState.IN;
    long every = speaks ? Math.min(agent.heartbeatMs(), pace.quickCheckMs()) : pace.quickCheckMs();
    nextQuickCheck = toTell ? now : now + every;
  }

  /**
   * Whether these data say nothing of copies that the last word did not, which was of this epoch,
   * and of the same nodes.
   */
  boolean sameWord(Map<String, String> next, long epoch) {
    String waitsFor = next.getOrDefault(CopyReport.TOKEN, "");
    return word != null
        && word.mark().epoch() == epoch
        && word.mark().joins() == joinsKnown
        && (waitsFor.isEmpty() || waitsFor.equals(token()))
        && Objects.equals(wordData.get(CopyReport.IN_SYNC), next.get(CopyReport.IN_SYNC))
        && Objects.equals(wordData.get(CopyReport.FOLLOWING), next.get(CopyReport.FOLLOWING));
  }

  /** What the leader is told of its copies, null when it has none. */
  CopyReport copies(String node) {
    if (!data.containsKey(CopyReport.COPY) && word == null) {
      return null;
    }
    CopyReport own = CopyReport.of(data, node, null);
    return word == null
        ? own
        : new CopyReport(own.copy(), word.mark(), word.inSync(), word.following());
  }
}
