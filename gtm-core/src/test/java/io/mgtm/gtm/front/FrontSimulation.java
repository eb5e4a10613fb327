package io.mgtm.gtm.front;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * A front and its clients against a group that loses links, changes leaders, loses what was not
 * committed, refuses and repeats, in a schedule that a seed determines.
 *
 * <p>Holds: each command is answered once, in its client's order, with its own reply; what was
 * answered stands once in the history that survives, and nothing stands there twice; once the chaos
 * ends everything is answered.
 */
final class FrontSimulation {
  private static final int CHAOS_MS = 8_000;
  private static final int CALM_MS = 20_000;

  private final SplittableRandom random;
  private final SimFault fault;
  private final SimTime time = new SimTime();
  private final SimLink.Memory memory = new SimLink.Memory();
  private final SimGroup group;
  private final GroupUpstream upstream;
  private final List<SimClient> clients = new ArrayList<>();
  private boolean chaos = true;
  private boolean flushing;

  FrontSimulation(long seed, SimFault fault) {
    this.random = new SplittableRandom(seed);
    this.fault = fault;
    boolean sessionsMayBeLost = fault == SimFault.REOPEN_LOST_SESSION || random.nextInt(4) == 0;
    group = new SimGroup(random, time, sessionsMayBeLost ? 2 : 0);
    List<LinkConnector> connectors = group.nodes().stream().map(this::connector).toList();
    upstream =
        new GroupUpstream(
            "front",
            new LinkNodes(connectors, this::unknown),
            time,
            random,
            this::flushSoon,
            new FrontMetrics(new SimpleMeterRegistry()));
  }

  private LinkConnector unknown(String address) {
    throw new SimViolation("the front was told of " + address + ", which it knows");
  }

  private LinkConnector connector(SimNode node) {
    return new LinkConnector() {
      @Override
      public String address() {
        return node.name();
      }

      @Override
      public Link connect(LinkListener listener) {
        SimLink link = new SimLink(node, listener, time, random, fault, memory, chaos);
        if (chaos && random.nextInt(6) == 0) {
          link.breakNow("it does not answer");
        }
        return link;
      }
    };
  }

  private void flushSoon() {
    if (!flushing) {
      flushing = true;
      time.afterNanos(
          random.nextInt(100_000),
          () -> {
            flushing = false;
            upstream.flush();
          });
    }
  }

  /** Runs it; throws a {@link SimViolation} when something does not hold. */
  void run() {
    try {
      play();
    } finally {
      upstream.close();
    }
  }

  private void play() {
    upstream.start();
    for (int i = 0; i < 6; i++) {
      int wanted = 20 + random.nextInt(60);
      clients.add(new SimClient("c" + i, upstream, time, random, i >= 4, wanted));
    }
    for (SimClient client : clients) {
      time.after(random.nextInt(2_000), client::start);
    }
    time.after(random.nextInt(300), group::elect);
    disturb();
    time.after(CHAOS_MS, this::calm);
    while (time.step() && time.millis() < CHAOS_MS + CALM_MS && !finished()) {}
    check();
  }

  private boolean finished() {
    return !chaos && clients.stream().allMatch(SimClient::done);
  }

  private void disturb() {
    if (!chaos) {
      return;
    }
    switch (random.nextInt(5)) {
      case 0 -> {
        SimNode dead = group.leader();
        group.loseLeader();
        if (dead != null && random.nextBoolean()) {
          dead.breakLinks();
        }
        time.after(random.nextInt(400), group::elect);
      }
      case 1 -> group.elect();
      case 2 -> {
        SimNode leader = group.leader();
        if (leader != null) {
          leader.breakLinks();
        }
      }
      default -> {
        SimNode node = group.nodes().get(random.nextInt(3));
        node.breakLinks();
      }
    }
    time.after(50 + random.nextInt(600), this::disturb);
  }

  private void calm() {
    chaos = false;
    if (group.leader() == null || random.nextBoolean()) {
      group.elect();
    }
  }

  private void check() {
    Map<String, String> history = new HashMap<>();
    for (SimGroup.Executed executed : group.history()) {
      if (history.put(executed.command(), executed.reply()) != null) {
        throw new SimViolation(executed.command() + " was executed twice");
      }
    }
    Set<String> replies = new HashSet<>();
    for (SimClient client : clients) {
      if (!client.done()) {
        throw new SimViolation("not everything was answered: " + client);
      }
      checkOf(client, history, replies);
    }
  }

  private void checkOf(SimClient client, Map<String, String> history, Set<String> replies) {
    int before = -1;
    for (SimClient.Asked asked : client.asked()) {
      if (asked.reply() == null || asked.query()) {
        continue;
      }
      if (!asked.reply().equals(history.get(asked.key()))) {
        throw new SimViolation(
            asked.key()
                + " was answered with "
                + asked.reply()
                + ", the history has "
                + history.get(asked.key()));
      }
      int place = Integer.parseInt(asked.reply().substring(asked.key().length() + 1));
      if (place <= before) {
        throw new SimViolation(asked.key() + " was executed before what its client asked before");
      }
      before = place;
      if (!replies.add(asked.reply())) {
        throw new SimViolation(asked.reply() + " was answered twice");
      }
    }
  }
}
