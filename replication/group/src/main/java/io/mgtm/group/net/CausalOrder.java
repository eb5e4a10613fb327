package io.mgtm.group.net;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Decides when a multicast may be delivered so that nothing is delivered before what it causally
 * follows. It has no clock, thread or socket of its own. Its owner calls it under one lock.
 *
 * <p>Each member counts its multicasts from its start on, and remembers of every other member the
 * highest count that it has delivered, or that something it delivered follows: its clock. A
 * multicast carries its own count, the sender's clock, and the number of the sender's view. It
 * waits until
 *
 * <ol>
 *   <li>this member has installed that view or a later one, so that it knows all senders that the
 *       clock names, or knows that they have gone since;
 *   <li>of every sender that the clock names and that is still in the view, all that it counts has
 *       been delivered.
 * </ol>
 *
 * What comes from one sender must come in order, as {@link NettyTransport} sees to it; so the own
 * count of a message is not waited for: those before it that have not come are lost. What a member
 * that has left did send is not waited for, and dropped when it has not been delivered by then.
 *
 * <p>A member that is new in a view, or here again after a partition, is not known: how many of its
 * messages lie before the view cannot be told. The first message that comes from it tells. So each
 * member that sees a new one must multicast something, if it is only the clock; until then, what
 * depends on it waits.
 *
 * <p>What waits is bounded. A message that has waited for too long is delivered without those that
 * it waits for, and when there are too many, all that wait are dropped. In both cases those that
 * were passed over are dropped, should they come: messages may be lost by it, their order is never
 * broken.
 *
 * @param <K> tells members apart; another at each start of a member
 * @param <M> a message
 */
class CausalOrder<K, M> {
  /**
   * What a multicast carries.
   *
   * @param view the number of the sender's view
   * @param count the sender's multicasts, this one included
   * @param seen of others, the counts of all that it follows
   */
  record Stamp<K>(long view, long count, Map<K, Long> seen) {}

  /**
   * How much may wait.
   *
   * @param waitMs after which a message is delivered without those that it waits for
   */
  record Bounds(int messages, long bytes, long waitMs) {}

  private record Waiting<K, M>(Stamp<K> stamp, M message, int bytes, long sinceMs) {}

  /**
   * Members that have left and may come back after a partition, with messages of theirs still under
   * way to somebody who did not see them leave.
   */
  private static final int GONE_MAX = 32;

  private final K self;
  private final Bounds bounds;
  private final Consumer<M> upward;

  private long view = -1;
  private Set<K> members = Set.of();
  private long sent;

  /**
   * What the next multicast follows: counts of all that was delivered, and of what that follows.
   */
  private final Map<K, Long> past = new HashMap<>();

  /** Members in {@link #past} that are not in the view, in the order in which they left. */
  private final Set<K> gone = new LinkedHashSet<>();

  /** The highest delivered count of each member of the view; none while it is not known. */
  private final Map<K, Long> delivered = new HashMap<>();

  private final Map<K, Deque<Waiting<K, M>>> waiting = new HashMap<>();
  private int waitingMessages;
  private long waitingBytes;
  private long passedOver;

  /**
   * An order that begins.
   *
   * @param upward takes what is delivered, at once; it may call {@link #stamp}
   */
  CausalOrder(K self, Bounds bounds, Consumer<M> upward) {
    this.self = self;
    this.bounds = bounds;
    this.upward = upward;
  }

  /** The stamp of the next multicast. Multicasts must be sent in the order of their stamps. */
  Stamp<K> stamp() {
    sent++;
    return new Stamp<>(view, sent, Map.copyOf(past));
  }

  /** Messages that wait. */
  int waiting() {
    return waitingMessages;
  }

  /** How often messages were passed over or dropped because of the bounds. */
  long passedOver() {
    return passedOver;
  }

  /** A multicast of another member; delivers what may be delivered now. */
  void received(long nowMs, K from, Stamp<K> stamp, M message, int bytes) {
    if (from.equals(self) || (stamp.view() <= view && !members.contains(from))) {
      return;
    }
    waiting
        .computeIfAbsent(from, sender -> new ArrayDeque<>())
        .addLast(new Waiting<>(stamp, message, bytes, nowMs));
    waitingMessages++;
    waitingBytes += bytes;
    learn(from);
    deliver(nowMs);
    if (waitingMessages > bounds.messages() || waitingBytes > bounds.bytes()) {
      dropAll();
    }
  }

  /**
   * A new view; delivers what may be delivered now.
   *
   * @param number grows with each view
   * @return whether a member is new to this one, so that something must be multicast
   */
  boolean installed(long nowMs, long number, Collection<K> now) {
    Set<K> before = members;
    view = number;
    members = Set.copyOf(now);
    delivered.keySet().retainAll(members);
    dropThoseOfMembersThatLeft();
    waiting.keySet().forEach(this::learn);
    deliver(nowMs);
    return members.stream()
        .anyMatch(member -> !member.equals(self) && (before.isEmpty() || !before.contains(member)));
  }

  /** What follows them need not wait for them any more, so they must not come after it. */
  private void dropThoseOfMembersThatLeft() {
    waiting.forEach(
        (sender, queue) -> {
          while (!members.contains(sender)
              && !queue.isEmpty()
              && isViewReached(queue.peekFirst().stamp())) {
            remove(queue);
          }
        });
    waiting.values().removeIf(Deque::isEmpty);
  }

  /** The first message of a member tells that those before it will not come. */
  private void learn(K from) {
    Waiting<K, M> first = waiting.get(from).peekFirst();
    if (first != null && members.contains(from)) {
      delivered.putIfAbsent(from, first.stamp().count() - 1);
    }
  }

  private void deliver(long nowMs) {
    boolean again = true;
    while (again) {
      again = false;
      for (K sender : List.copyOf(waiting.keySet())) {
        again |= deliverFrom(sender);
      }
      again |= !again && passOverForOldest(nowMs);
    }
  }

  private boolean deliverFrom(K sender) {
    boolean any = false;
    Deque<Waiting<K, M>> queue = waiting.get(sender);
    while (!queue.isEmpty() && mayBeDelivered(sender, queue.peekFirst().stamp())) {
      any = true;
      Waiting<K, M> next = remove(queue);
      if (next.stamp().count() > delivered.get(sender)) {
        delivered.put(sender, next.stamp().count());
        follow(sender, next.stamp());
        upward.accept(next.message());
      } // else it is repeated, or was passed over before it came
    }
    if (queue.isEmpty()) {
      waiting.remove(sender);
    }
    return any;
  }

  private void follow(K sender, Stamp<K> stamp) {
    past.merge(sender, stamp.count(), Math::max);
    stamp.seen().forEach((other, count) -> past.merge(other, count, Math::max));
    past.remove(self);
    forgetThoseLongGone();
  }

  private void forgetThoseLongGone() {
    gone.removeAll(members);
    past.keySet().stream().filter(member -> !members.contains(member)).forEach(gone::add);
    while (gone.size() > GONE_MAX) {
      K longest = gone.iterator().next();
      gone.remove(longest);
      past.remove(longest);
    }
  }

  private Waiting<K, M> remove(Deque<Waiting<K, M>> queue) {
    Waiting<K, M> next = queue.removeFirst();
    waitingMessages--;
    waitingBytes -= next.bytes();
    return next;
  }

  /** Whether all that a message follows is here. */
  private boolean mayBeDelivered(K sender, Stamp<K> stamp) {
    return isViewReached(stamp)
        && members.contains(sender)
        && stamp.seen().entrySet().stream()
            .allMatch(seen -> seen.getKey().equals(sender) || isHere(seen));
  }

  boolean isViewReached(Stamp<K> stamp) {
    return stamp.view() <= view;
  }

  private boolean isHere(Map.Entry<K, Long> seen) {
    if (seen.getKey().equals(self) || !members.contains(seen.getKey())) {
      return true;
    }
    return isReached(delivered.get(seen.getKey()), seen.getValue());
  }

  /**
   * Whether that many of a member's messages are here.
   *
   * @param here null when it is not known
   */
  boolean isReached(Long here, long count) {
    return here != null && here >= count;
  }

  /** A message has waited for too long: what it waits for is given up. */
  private boolean passOverForOldest(long nowMs) {
    Waiting<K, M> oldest = null;
    for (Deque<Waiting<K, M>> queue : waiting.values()) {
      Waiting<K, M> first = queue.peekFirst();
      if (isViewReached(first.stamp())
          && nowMs - first.sinceMs() >= bounds.waitMs()
          && (oldest == null || first.sinceMs() < oldest.sinceMs())) {
        oldest = first;
      }
    }
    if (oldest == null) {
      return false;
    }
    passedOver++;
    passOver(oldest.stamp());
    return true;
  }

  private void passOver(Stamp<K> stamp) {
    stamp
        .seen()
        .forEach(
            (sender, count) -> {
              if (members.contains(sender) && !sender.equals(self)) {
                delivered.merge(sender, count, Math::max);
              }
            });
  }

  private void dropAll() {
    passedOver++;
    for (Iterator<Map.Entry<K, Deque<Waiting<K, M>>>> all = waiting.entrySet().iterator();
        all.hasNext(); ) {
      Map.Entry<K, Deque<Waiting<K, M>>> of = all.next();
      for (Waiting<K, M> dropped : of.getValue()) {
        passOver(dropped.stamp());
        if (members.contains(of.getKey())) {
          delivered.merge(of.getKey(), dropped.stamp().count(), Math::max);
        }
      }
      all.remove();
    }
    waitingMessages = 0;
    waitingBytes = 0;
  }
}
