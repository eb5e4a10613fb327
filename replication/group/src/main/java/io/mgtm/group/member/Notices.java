package io.mgtm.group.member;

import io.mgtm.group.ReplicatedLog;
import io.mgtm.group.core.GroupCore;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What the core says while it is at work, told once it is at rest: only then may the listeners call
 * the log, and through it the core, again. Owner thread.
 */
final class Notices {
  private final ReplicatedLog.Listener listener;
  private final MemberListener everyMember;

  /** Whether entries are committed before the others have them. */
  private final boolean lazy;

  private final Deque<Runnable> waiting = new ArrayDeque<>();
  private GroupCore core;
  private long toldStable;
  private boolean leading;
  private boolean appending;
  private boolean telling;

  Notices(ReplicatedLog.Listener listener, MemberListener everyMember, boolean lazy) {
    this.listener = listener;
    this.everyMember = everyMember;
    this.lazy = lazy;
  }

  /** Whose word is told. */
  void of(GroupCore teller) {
    core = teller;
  }

  void add(Runnable notice) {
    waiting.add(notice);
  }

  /** What an append commits at once is not told, but seen after it. */
  void appending(boolean now) {
    appending = now;
  }

  /** Whether the listeners know all that was said. */
  boolean areTold() {
    return !telling && waiting.isEmpty();
  }

  void tell() {
    telling = true;
    for (Runnable next = waiting.poll(); next != null; next = waiting.poll()) {
      next.run();
    }
    telling = false;
    if (lazy && leading && core.stableIndex() > toldStable) {
      toldStable = core.stableIndex();
      listener.stable(toldStable);
    }
  }

  boolean isLeading() {
    return leading && core.isServing();
  }

  /** Whether the listener was told that this member leads, and of nothing else since. */
  boolean toldLeading() {
    return leading;
  }

  void leading(long term, boolean entriesMayBeMissing) {
    add(
        () -> {
          if (core.isServing()) {
            leading = true;
            listener.leading(term, entriesMayBeMissing);
          }
        });
  }

  /** Said at once when nothing else will be. */
  void following(String leader) {
    leading = false;
    listener.following(leader);
  }

  /** Every entry up to an index is committed and applied. */
  void applied(long index) {
    if (appending) {
      return;
    }
    if (waiting.peekLast() instanceof Applied last) {
      last.index = index;
    } else {
      add(new Applied(index));
    }
  }

  /** The last one that waits takes what comes next in. */
  private final class Applied implements Runnable {
    private long index;

    Applied(long index) {
      this.index = index;
    }

    @Override
    public void run() {
      everyMember.settled(index);
      if (isLeading()) {
        listener.committed(index);
      }
    }
  }

  void confirmed(long readIndex) {
    add(
        () -> {
          if (isLeading()) {
            listener.confirmed(readIndex);
          }
        });
  }
}
