package io.mgtm.rdma;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.IntFunction;

/**
 * Two sides that send each other messages in a random order of steps. It finds a message that meets
 * no receive, a broken rule, and a state in which nothing can go on though messages are left.
 */
final class CreditSimulation {

  private static final int MESSAGES = 60;

  private static final class Side {
    final CreditWindow credits;
    final Queue<Integer> incoming = new ArrayDeque<>();
    int posted;
    int held;
    int toSend;

    Side(CreditWindow credits, int window, int toSend) {
      this.credits = credits;
      posted = window;
      this.toSend = toSend;
    }
  }

  private final Random random;
  private final Side[] sides = new Side[2];
  private String finding = "";

  CreditSimulation(long seed, int window, IntFunction<CreditWindow> kind) {
    random = new Random(seed);
    for (int i = 0; i < 2; i++) {
      sides[i] = new Side(kind.apply(window), window, random.nextInt(4) == 0 ? 0 : MESSAGES);
    }
  }

  /** Runs to the end; answers what was found, or nothing. */
  String run() {
    while (finding.isEmpty()) {
      List<Runnable> steps = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        addSteps(sides[i], sides[1 - i], steps);
      }
      if (steps.isEmpty()) {
        return sides[0].toSend + sides[1].toSend > 0 ? "deadlock" : "";
      }
      try {
        steps.get(random.nextInt(steps.size())).run();
      } catch (IllegalArgumentException | IllegalStateException e) {
        finding = e.getMessage();
      }
    }
    return finding;
  }

  private void addSteps(Side me, Side other, List<Runnable> steps) {
    if (me.toSend > 0 && me.credits.available() > 0) {
      steps.add(
          () -> {
            me.toSend--;
            other.incoming.add(me.credits.takeForMessage());
          });
    }
    if (me.credits.shouldReturn()) {
      steps.add(() -> other.incoming.add(me.credits.takeForReturn()));
    }
    if (!me.incoming.isEmpty()) {
      steps.add(
          () -> {
            if (me.posted == 0) {
              finding = "no receive";
              return;
            }
            me.posted--;
            me.held++;
            me.credits.returned(me.incoming.remove());
          });
    }
    if (me.held > 0) {
      steps.add(
          () -> {
            me.held--;
            me.posted++;
            me.credits.reposted();
          });
    }
  }
}
