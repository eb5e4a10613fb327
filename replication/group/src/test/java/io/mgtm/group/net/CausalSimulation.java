package io.mgtm.group.net;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Members that multicast over links which keep each sender's order and are otherwise as late as
 * they like; members crash, join, are parted and merged, and install each view at another time.
 * After each delivery: nothing that was delivered before follows it. In the end: nothing waits, and
 * what is sent then comes to all.
 */
final class CausalSimulation {
  private static final int STEPS = 400;
  private static final int MEMBERS_MAX = 6;

  /** A mistake that is planted to see that the simulation finds it. */
  enum Fault {
    NONE,
    NO_CLOCK_COMPARISON,
    NO_VIEW_COMPARISON,
    HEADER_WITHOUT_OWN_COUNT,
    UNKNOWN_MEMBER_TAKEN_FOR_SILENT,
    NO_CLOCK_FOR_NEW_MEMBERS
  }

  /** What a schedule did. */
  record Outcome(int delivered, int waited, int views) {}

  /** An invariant does not hold. */
  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Violation(String message) {
      super(message);
    }
  }

  private record Multicast(int number, boolean clock, BitSet past) {}

  private record Sent(int from, CausalOrder.Stamp<Integer> stamp, Multicast message) {}

  /** What a member sends to another from a view that has both until one that has not. */
  private record Link(int from, int to, long since) implements Comparable<Link> {
    private static final Comparator<Link> ORDER =
        Comparator.comparingInt(Link::from).thenComparing(Link::to).thenComparing(Link::since);

    @Override
    public int compareTo(Link other) {
      return ORDER.compare(this, other);
    }

    boolean joins(int one, int other) {
      return from == one && to == other;
    }
  }

  private record View(long number, Set<Integer> members) {}

  private final class Member {
    private final int name;
    private final CausalOrder<Integer, Multicast> order;
    private final Deque<View> views = new ArrayDeque<>();
    private final BitSet past = new BitSet();
    private View view = new View(-1, Set.of());
    private int delivered;

    Member(int name) {
      this.name = name;
      CausalOrder.Bounds bounds =
          new CausalOrder.Bounds(Integer.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
      order =
          new CausalOrder<>(name, bounds, this::deliver) {
            @Override
            boolean isViewReached(Stamp<Integer> stamp) {
              return fault == Fault.NO_VIEW_COMPARISON || super.isViewReached(stamp);
            }

            @Override
            boolean isReached(Long here, long count) {
              return switch (fault) {
                case NO_CLOCK_COMPARISON -> true;
                case UNKNOWN_MEMBER_TAKEN_FOR_SILENT -> here == null || here >= count;
                default -> super.isReached(here, count);
              };
            }

            @Override
            Stamp<Integer> stamp() {
              Stamp<Integer> stamp = super.stamp();
              return fault == Fault.HEADER_WITHOUT_OWN_COUNT
                  ? new Stamp<>(stamp.view(), 1, stamp.seen())
                  : stamp;
            }
          };
    }

    private void deliver(Multicast message) {
      if (past.get(message.number())) {
        throw new Violation(
            "member %d delivers %d after what follows it, seed %d"
                .formatted(name, message.number(), seed));
      }
      past.or(message.past());
      past.set(message.number());
      if (!message.clock()) {
        delivered++;
        deliveredInAll++;
      }
    }

    void install() {
      view = views.removeFirst();
      links
          .keySet()
          .removeIf(
              link ->
                  link.to() == name
                      && link.since() <= view.number()
                      && !view.members().contains(link.from()));
      if (order.installed(0, view.number(), view.members())
          && fault != Fault.NO_CLOCK_FOR_NEW_MEMBERS) {
        multicast(true);
      }
    }

    /** NAKACK4 takes the messages of a new member shortly before the view is told. */
    boolean takes(Link link) {
      return link.to() == name
          && (link.since() <= view.number()
              || (!views.isEmpty() && link.since() <= views.peekFirst().number()));
    }

    void multicast(boolean clock) {
      Multicast message = new Multicast(numbers++, clock, (BitSet) past.clone());
      Sent sent = new Sent(name, order.stamp(), message);
      past.set(message.number());
      links.forEach(
          (link, queue) -> {
            if (link.from() == name && open.contains(link)) {
              queue.addLast(sent);
            }
          });
    }
  }

  private final long seed;
  private final Fault fault;
  private final Random random;
  private final Map<Integer, Member> members = new TreeMap<>();
  private final Map<Link, Deque<Sent>> links = new TreeMap<>();
  private final Set<Link> open = new TreeSet<>();
  private final List<Set<Integer>> parts = new ArrayList<>();
  private final List<Long> partViews = new ArrayList<>();
  private int names;
  private int numbers;
  private int deliveredInAll;
  private int waited;
  private int views;

  CausalSimulation(long seed, Fault fault) {
    this.seed = seed;
    this.fault = fault;
    this.random = new Random(seed);
  }

  Outcome run() {
    parts.add(new TreeSet<>());
    partViews.add(0L);
    for (int i = 0; i < 3; i++) {
      join();
    }
    for (int step = 0; step < STEPS; step++) {
      step();
    }
    end();
    return new Outcome(deliveredInAll, waited, views);
  }

  private void step() {
    int what = random.nextInt(100);
    if (what < 40) {
      Member member = any(List.copyOf(members.values()));
      if (member.view.number() >= 0) {
        member.multicast(false);
      }
    } else if (what < 85) {
      deliverOne();
    } else if (what < 96) {
      installOne();
    } else {
      changeMembership();
    }
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean isTaken(Link link) {
    return members.containsKey(link.to()) && members.get(link.to()).takes(link);
  }

  private boolean deliverOne() {
    List<Link> busy =
        links.entrySet().stream()
            .filter(link -> !link.getValue().isEmpty() && isTaken(link.getKey()))
            .map(Map.Entry::getKey)
            .toList();
    if (busy.isEmpty()) {
      return false;
    }
    Link link = any(busy);
    Sent sent = links.get(link).removeFirst();
    links.keySet().removeIf(old -> old.joins(link.from(), link.to()) && old.since() < link.since());
    Member to = members.get(link.to());
    to.order.received(0, sent.from(), sent.stamp(), sent.message(), 1);
    waited += to.order.waiting() > 0 ? 1 : 0;
    return true;
  }

  private boolean installOne() {
    List<Member> due = members.values().stream().filter(m -> !m.views.isEmpty()).toList();
    if (due.isEmpty()) {
      return false;
    }
    any(due).install();
    return true;
  }

  private void changeMembership() {
    switch (random.nextInt(4)) {
      case 0 -> join();
      case 1 -> crash();
      case 2 -> part();
      default -> merge();
    }
  }

  private void join() {
    if (members.size() < MEMBERS_MAX) {
      int name = names++;
      members.put(name, new Member(name));
      int part = random.nextInt(parts.size());
      parts.get(part).add(name);
      announce(part);
    }
  }

  private void crash() {
    int name = any(List.copyOf(members.keySet()));
    int part = partOf(name);
    if (parts.get(part).size() > 1) {
      members.remove(name);
      parts.get(part).remove(name);
      announce(part);
    }
  }

  private int partOf(int name) {
    for (int part = 0; part < parts.size(); part++) {
      if (parts.get(part).contains(name)) {
        return part;
      }
    }
    throw new IllegalStateException("no part has " + name);
  }

  private void part() {
    int part = random.nextInt(parts.size());
    Set<Integer> leaving = new TreeSet<>(parts.get(part));
    leaving.removeIf(name -> random.nextBoolean());
    if (!leaving.isEmpty() && leaving.size() < parts.get(part).size()) {
      parts.get(part).removeAll(leaving);
      parts.add(leaving);
      partViews.add(partViews.get(part));
      announce(part);
      announce(parts.size() - 1);
    }
  }

  private void merge() {
    if (parts.size() > 1) {
      Set<Integer> merged = parts.remove(parts.size() - 1);
      long number = partViews.remove(partViews.size() - 1);
      parts.get(0).addAll(merged);
      partViews.set(0, Math.max(number, partViews.get(0)));
      announce(0);
    }
  }

  /**
   * A new view of a part: links that it opens begin now, of those that it closes an end is lost.
   */
  private void announce(int part) {
    views++;
    long number = partViews.get(part) + 1 + random.nextInt(3);
    partViews.set(part, number);
    View view = new View(number, Set.copyOf(parts.get(part)));
    for (int name : parts.get(part)) {
      members.get(name).views.addLast(view);
    }
    for (Link link : List.copyOf(open)) {
      boolean stays = view.members().contains(link.from()) == view.members().contains(link.to());
      if (!stays || !members.containsKey(link.from()) || !members.containsKey(link.to())) {
        open.remove(link);
        Deque<Sent> lost = links.getOrDefault(link, new ArrayDeque<>());
        int keep = random.nextInt(lost.size() + 1);
        while (lost.size() > keep) {
          lost.removeLast();
        }
      }
    }
    for (int from : parts.get(part)) {
      for (int to : parts.get(part)) {
        if (from != to && open.stream().noneMatch(link -> link.joins(from, to))) {
          Link link = new Link(from, to, number);
          open.add(link);
          links.put(link, new ArrayDeque<>());
        }
      }
    }
  }

  private void end() {
    while (parts.size() > 1) {
      merge();
    }
    drain();
    members.values().forEach(this::checkNothingWaits);
    members.values().forEach(member -> member.delivered = 0);
    members.values().forEach(member -> member.multicast(false));
    drain();
    for (Member member : members.values()) {
      checkNothingWaits(member);
      if (member.delivered != members.size() - 1) {
        throw new Violation(
            "%d of %d messages came to member %d, seed %d"
                .formatted(member.delivered, members.size() - 1, member.name, seed));
      }
    }
  }

  private void drain() {
    boolean again = true;
    while (again) {
      again = random.nextBoolean() ? deliverOne() || installOne() : installOne() || deliverOne();
    }
  }

  private void checkNothingWaits(Member member) {
    if (member.order.waiting() > 0 || member.order.passedOver() > 0) {
      throw new Violation(
          "%d messages wait at member %d for what will not come, seed %d"
              .formatted(member.order.waiting(), member.name, seed));
    }
  }
}
