package io.mgtm.ha.core;

import io.mgtm.ha.core.Call.Kind;
import io.mgtm.ha.core.Call.Result;
import io.mgtm.ha.core.Grant.Order;
import io.mgtm.ha.core.Report.ResourceState;
import io.mgtm.ha.core.Report.State;
import io.mgtm.ha.model.Hierarchy;
import java.util.Map;

/**
 * One hierarchy on one node. It is OUT only when this incarnation has taken all of it out of
 * service, or is sure that it had: what checks say is not enough for that, since a check that lies
 * must not lead to two nodes in service.
 */
final class HierarchyAgent {
  /** What a call may take beyond its deadline before all is ended. */
  static final long GRACE_MS = 1_000;

  private static final long STUCK_RETRY_MS = 5_000;

  private final String name;
  private final NodeAgent agent;
  private final UsedConfig config;
  private Stack stack;
  private final CopyWords words;
  private State state = State.UNKNOWN;
  private final HierarchyLease lease;
  private Call end;
  private boolean endNeeded;
  private int stopFailures;
  private long retryAt;

  /** What is repaired, until it is; then what stands on it is brought back. */
  private String repairing = "";

  private final LocalRecoveries recoveries = new LocalRecoveries();

  /** It was in service when this incarnation began. */
  private boolean adopted;

  /** When all is out, it has failed for this placement. */
  private boolean hopeless;

  private long epoch;
  private String failed = "";
  private String detail = "nobody has looked yet";

  HierarchyAgent(String name, Hierarchy hierarchy, NodeAgent agent) {
    this.name = name;
    this.agent = agent;
    this.words = new CopyWords(agent);
    this.lease = new HierarchyLease(name, agent);
    this.config = new UsedConfig(name, hierarchy, agent);
    take();
  }

  void configured(Hierarchy next) {
    config.configured(next);
  }

  /** See {@link UsedConfig#joins}. */
  long joins() {
    return config.joins();
  }

  private void take() {
    stack = config.take();
    takeMarks();
  }

  /**
   * Takes the newest configuration where nothing is being changed; whether it waits for calls to
   * end before. What was adopted was brought in service by it already, since nothing of it changes
   * meanwhile: an earlier one is known only while the log is read after a start.
   */
  private boolean renew() {
    boolean looking = state == State.UNKNOWN || (state == State.IN && adopted);
    if (!config.isOutdated() || !(looking || isDone())) {
      return false;
    }
    if (stack.cancelsACall()) {
      return true;
    }
    take();
    to(State.UNKNOWN, "its configuration has changed");
    return false;
  }

  private void takeMarks() {
    Order order = lease.order();
    if (order != null) {
      stack.bottomUp().forEach(each -> words.granted(each, order.marks().get(each.name)));
    }
  }

  /** Whether it is out, and no call of a kit would be left behind that another might meet. */
  boolean isDone() {
    return state == State.OUT && stack.isIdle();
  }

  /** The orders of the newest grant; null when it does not name the hierarchy. */
  void ordered(Order newOrder, Grant grant) {
    if (lease.ordered(newOrder, grant) && state != State.OUT && end == null && !endNeeded) {
      lease.guard(stack.names());
    }
    takeMarks();
  }

  /** Null when it is not in service here, or is no part of it. */
  AgentResource inService(String resource) {
    return state == State.IN ? stack.get(resource) : null;
  }

  /** Does what is to be done next. */
  void step(long now) {
    if (lease.isEnding(now) && end == null && !endNeeded) {
      endAll("its lease has ended");
    }
    endOverdue(now);
    if (end != null) {
      return;
    }
    if (endNeeded) {
      if (now >= retryAt) {
        end = agent.call(name, "", Kind.END, now + 2L * agent.guardMs(), Map.of());
      }
      return;
    }
    if (renew()) {
      return;
    }
    if (inUse() && !adopted && config.isOutdated()) {
      stop("it was begun with a former configuration", now);
      return;
    }
    if (inUse() && !lease.mayRun(now)) {
      stop("it shall not be in service here any more", now);
      return;
    }
    switch (state) {
      case UNKNOWN -> look(now);
      case OUT -> whenOut(now);
      case STARTING, RECOVERING -> raise(now);
      case IN -> whenIn(now);
      case FAILED -> whenFailed(now);
      case STOPPING, STUCK -> lower(now);
    }
  }

  /** A call that does not end by itself is ended with all the rest. */
  private void endOverdue(long now) {
    if (state == State.OUT) {
      return;
    }
    for (AgentResource resource : stack.bottomUp()) {
      if (resource.isOverdue(now) && !endNeeded && end == null) {
        if (inUse()) {
          hopeless = !recoveries.take(config.policy(), now);
          failed = resource.name;
        }
        endAll(resource.call.kind() + " of " + resource.name + " does not end");
      }
    }
  }

  private boolean inUse() {
    return state == State.IN || state == State.STARTING || state == State.RECOVERING;
  }

  private void endAll(String why) {
    endNeeded = true;
    to(State.STOPPING, why);
  }

  private void look(long now) {
    stack.look(now);
    if (!lease.isTold() || stack.any(ResourceState.UNKNOWN)) {
      return;
    }
    if (!lease.mayRun(now)) {
      to(State.STOPPING, "it shall not be in service here");
      lower(now);
    } else {
      boolean in = stack.all(ResourceState.IN);
      begin();
      adopted = in;
      to(in ? State.IN : State.STARTING, in ? "it was in service already" : "part of it was out");
      step(now);
    }
  }

  private void whenOut(long now) {
    if (lease.mayRun(now)) {
      stack.bottomUp().forEach(resource -> resource.word = null);
      begin();
      to(State.STARTING, "it shall be in service here");
      raise(now);
      return;
    }
    // What disks say of copies, and whether anything is in service behind the controller's back.
    stack.checkAll(now);
  }

  private void begin() {
    epoch = lease.order().epoch();
    recoveries.begin(epoch);
    failed = "";
    hopeless = false;
    adopted = false;
    lease.guard(stack.names());
  }

  private void raise(long now) {
    if (!repairing.isEmpty()) {
      repair(now);
      return;
    }
    stack.check(now);
    if (stack.raise(now)) {
      to(State.IN, "all of it is in service");
    }
  }

  /** Takes out what stands on it and cannot do without, and repairs it. */
  private void repair(long now) {
    stack.checkCopies(now);
    stack.checkBelow(repairing, now);
    if (stack.clear(repairing, now)) {
      stack.get(repairing).act(Kind.RECOVER, now);
    }
  }

  private void whenIn(long now) {
    epoch = lease.order().epoch();
    recoveries.serving();
    stack.check(now);
  }

  private void whenFailed(long now) {
    if (!lease.mayRun(now) || lease.order().epoch() != epoch) {
      stop("it has failed and is taken out", now);
    }
  }

  private void stop(String why, long now) {
    repairing = "";
    to(State.STOPPING, why);
    lower(now);
  }

  private void lower(long now) {
    if (now < retryAt) {
      return;
    }
    stack.checkCopies(now);
    if (!stack.lower(now) || stack.cancelsACall()) {
      return;
    }
    lease.unguard();
    stopFailures = 0;
    if (hopeless && lease.mayRun(now) && lease.order().epoch() == epoch) {
      to(State.FAILED, detail);
      return;
    }
    epoch = 0;
    hopeless = false;
    to(State.OUT, "all of it is out of service");
  }

  void ended(Call call, Result result, long now) {
    if (end != null && end.id() == call.id()) {
      ended(result, now);
      return;
    }
    AgentResource resource = stack.get(call.resource());
    if (resource == null || resource.call == null || resource.call.id() != call.id()) {
      return;
    }
    boolean cancelled = resource.cancelled;
    resource.call = null;
    if (!cancelled) {
      resource.detail = result.detail();
    }
    words.said(resource, result, epoch);
    switch (call.kind()) {
      case IN_SERVICE, RECOVER -> raised(resource, call.kind(), result, cancelled, now);
      case OUT_OF_SERVICE -> lowered(resource, result, cancelled, now);
      default -> {
        if (!cancelled) {
          checked(resource, result, now);
        }
      }
    }
    resource.checked(call.kind(), result, now);
  }

  /** All of it has been ended, or not. */
  private void ended(Result result, long now) {
    end = null;
    if (result.state() != ResourceState.OUT) {
      retryAt = now + GRACE_MS;
      to(State.STUCK, result.detail());
      return;
    }
    endNeeded = false;
    stack.bottomUp().forEach(AgentResource::killed);
    lease.unguard();
    stop(detail, now);
  }

  private void raised(
      AgentResource resource, Kind kind, Result result, boolean cancelled, long now) {
    boolean good = result.state() == ResourceState.IN;
    resource.state = good ? ResourceState.IN : ResourceState.FAILED;
    resource.nextDeepCheck = now + resource.pace.deepCheckMs();
    if (good && kind == Kind.RECOVER && repairing.equals(resource.name)) {
      repairing = "";
    }
    if (!good && !cancelled && inUse()) {
      fault(resource, now);
    }
  }

  private void lowered(AgentResource resource, Result result, boolean cancelled, long now) {
    boolean good = result.state() == ResourceState.OUT;
    resource.state = good ? ResourceState.OUT : ResourceState.FAILED;
    if (good || cancelled) {
      return;
    }
    if (++stopFailures == 1) {
      endAll(resource.name + " cannot be taken out of service: " + result.detail());
    } else {
      failed = resource.name;
      retryAt = now + STUCK_RETRY_MS;
      to(State.STUCK, result.detail());
    }
  }

  private void checked(AgentResource resource, Result result, long now) {
    if (state == State.UNKNOWN && resource.state == ResourceState.UNKNOWN) {
      // Out is what only outOfService makes sure of.
      resource.state = result.state() == ResourceState.IN ? ResourceState.IN : ResourceState.FAILED;
    } else if (resource.state == ResourceState.IN
        && result.state() != ResourceState.IN
        && inUse()) {
      fault(resource, now);
    } else if (state == State.OUT
        && result.state() == ResourceState.IN
        && (lease.order() == null || lease.repairs())) {
      // Somebody has started it, or what took it out has not: another node may have it in service.
      resource.state = ResourceState.IN;
      stop(resource.name + " is in service, and shall not be: " + result.detail(), now);
    }
  }

  /** Something that was in service is not. */
  private void fault(AgentResource resource, long now) {
    if (state == State.IN && !lease.repairs()) {
      resource.leftAlone = true;
      return;
    }
    resource.state = ResourceState.FAILED;
    if (stack.standsOn(resource.name, repairing)) {
      return; // it may lack what is repaired, and is brought back after that
    }
    if (state == State.STARTING || !recoveries.take(config.policy(), now)) {
      failed = resource.name;
      repairing = "";
      to(State.FAILED, resource.detail);
      return;
    }
    repairing = resource.name;
    to(State.RECOVERING, resource.name + ": " + resource.detail);
  }

  private void to(State next, String why) {
    state = next;
    detail = why;
    agent.changed();
  }

  int reportBytes() {
    return config.reportBytes();
  }

  Report report(Facts facts) {
    return new Report(
        state,
        epoch,
        recoveries.count(),
        failed,
        facts.sentence(state == State.IN ? stack.leftAlone(detail) : detail),
        recoveries.served(),
        stack.states(),
        stack.copies(),
        stack.facts(facts));
  }
}
