package io.mgtm.gtm.server;

import io.mgtm.gtm.command.FrontKind;
import io.mgtm.gtm.command.TransactionCommand;
import io.mgtm.gtm.command.TransactionReply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A group of two or three members of mode lazy, with a front in each and two proxies, whose leaders
 * die one after the other, now and then together with a proxy, in a schedule that a seed
 * determines.
 *
 * <p>Holds: nobody gets an error but who died; no gxid and no value comes twice; no snapshot
 * contradicts what was seen before; what is open for its client is open in the state, and nothing
 * of the dead is; the state is that of the log.
 */
final class LazySimulation {
  private static final int PROXIES = 2;
  private static final int CHAOS_MICROS = 1_200_000;
  private static final int CALM_MICROS = 8_000_000;

  private final SplittableRandom random;
  private final LazySimFault fault;
  private final LazySimTime time = new LazySimTime();
  private final LazySimObserver observer = new LazySimObserver();
  private final List<LazySimFront> fronts = new ArrayList<>();
  private final LazySimGroup group;
  private final List<LazySimFront> forgetful = new ArrayList<>();
  private long numbers;
  private boolean proxyDied;

  LazySimulation(long seed, LazySimFault fault) {
    this.random = new SplittableRandom(seed);
    this.fault = fault;
    this.group =
        new LazySimGroup(
            time, random, fault, 2 + random.nextInt(2), fronts, forgetful, this::restarted);
  }

  private LazySimFront front(String name, FrontKind kind) {
    LazySimFront front = new LazySimFront(name, kind, ++numbers, time, random, fault, observer);
    fronts.add(front);
    front.start();
    return front;
  }

  private void restarted(LazySimGroup.Member member) {
    group.tell(front(member.name, FrontKind.NODE));
  }

  /** Runs it; throws a {@link LazySimViolation} when something does not hold. */
  void run() {
    group.members().forEach(member -> front(member.name, FrontKind.NODE));
    for (int i = 0; i < PROXIES; i++) {
      front("p" + i, FrontKind.PROXY);
    }
    group.start();
    time.after(100_000 + random.nextInt(100_000), this::disturb);
    while (time.step() && time.micros() < CHAOS_MICROS) {}
    fronts.forEach(LazySimFront::stop);
    while (time.step() && time.micros() < CHAOS_MICROS + CALM_MICROS && !isDone()) {}
    check();
  }

  private boolean isDone() {
    return fronts.stream().allMatch(LazySimFront::isDone)
        && group.leader() != null
        && group.leader().engine != null
        && group.leader().engine.isServing();
  }

  private void disturb() {
    if (time.micros() >= CHAOS_MICROS) {
      return;
    }
    if (group.canLoseLeader()) {
      LazySimGroup.Member dead = group.killLeader();
      dieWith(dead);
    }
    time.after(20_000 + random.nextInt(300_000), this::disturb);
  }

  private void dieWith(LazySimGroup.Member dead) {
    for (LazySimFront front : List.copyOf(fronts)) {
      boolean within = front.kind() == FrontKind.NODE && front.name().equals(dead.name);
      boolean proxy = front.kind() == FrontKind.PROXY && !proxyDied && random.nextInt(6) == 0;
      proxyDied |= proxy;
      if (proxy && fault == LazySimFault.NO_SKIP) {
        // For the next leader it is as if it need not skip what that one was given.
        front.forget();
        fronts.remove(front);
        forgetful.add(front);
      } else if (within || proxy) {
        front.die();
        fronts.remove(front);
      }
    }
  }

  private void check() {
    if (!isDone()) {
      throw new LazySimViolation("not everything was answered");
    }
    group.checkEqual();
    TransactionReply.TransactionList list =
        (TransactionReply.TransactionList)
            group.leader().machine.state().apply(new TransactionCommand.ListTransactions());
    for (LazySimFront front : fronts) {
      Set<Integer> open = new HashSet<>();
      list.transactions().stream()
          .filter(t -> t.session() == front.session())
          .forEach(t -> open.add(t.gxid()));
      if (!open.equals(observer.openOf(front))) {
        throw new LazySimViolation(
            "%s has %s open, the state %s".formatted(front.name(), observer.openOf(front), open));
      }
    }
  }
}
