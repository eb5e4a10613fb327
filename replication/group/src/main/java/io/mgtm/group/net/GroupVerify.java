package io.mgtm.group.net;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jgroups.Address;
import org.jgroups.Event;
import org.jgroups.View;
import org.jgroups.conf.ClassConfigurator;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.util.TimeScheduler;

/**
 * JGroups' check whether a suspected member is dead, on a clock that nobody sets. VERIFY_SUSPECT2
 * (5.5.7) waits until a time of the wall clock: set back by an hour meanwhile, that comes an hour
 * late, and a dead member stays in the view so long; set ahead, a living one has no time to answer.
 * It also looks only once a time-out, so that it waits up to twice as long; here each suspicion has
 * its own timer. The messages are JGroups'.
 */
public final class GroupVerify extends VERIFY_SUSPECT2 {
  static final short ID = 606;

  static {
    ClassConfigurator.addProtocol(ID, GroupVerify.class);
  }

  private final LongSupplier nanos;

  /** Until when each suspected member may answer. */
  private final Map<Address, Long> deadlines = new LinkedHashMap<>();

  /** For JGroups, by a stack's name of it too. */
  public GroupVerify() {
    this(System::nanoTime, null);
  }

  /** With a scheduler in place of the transport's. */
  GroupVerify(LongSupplier nanos, TimeScheduler timer) {
    this.nanos = nanos;
    this.timer = timer;
    setId(ClassConfigurator.getProtocolId(VERIFY_SUSPECT2.class));
  }

  @Override
  public synchronized String getSuspects() {
    return deadlines.keySet().toString();
  }

  @Override
  public Object down(Event event) {
    if (event.getType() == Event.VIEW_CHANGE) {
      View view = event.getArg();
      synchronized (this) {
        deadlines.keySet().removeIf(member -> !view.containsMember(member));
      }
    }
    return down_prot.down(event);
  }

  @Override
  protected synchronized void addSuspects(Collection<Address> members) {
    long deadline = nanos.getAsLong() + TimeUnit.MILLISECONDS.toNanos(timeout);
    members.forEach(member -> deadlines.putIfAbsent(member, deadline));
    timer.schedule(this, timeout + 1, TimeUnit.MILLISECONDS); // never just before it
  }

  @Override
  protected synchronized boolean removeSuspect(Address member) {
    return deadlines.remove(member) != null;
  }

  /** Tells of those who have not answered in time. */
  @Override
  public void run() {
    List<Address> dead = new ArrayList<>();
    synchronized (this) {
      long now = nanos.getAsLong();
      deadlines.forEach(
          (member, deadline) -> {
            if (now - deadline >= 0) {
              dead.add(member);
            }
          });
      dead.forEach(deadlines::remove);
    }
    if (!dead.isEmpty()) {
      log.debug("%s: %s did not answer", local_addr, dead);
      up_prot.up(new Event(Event.SUSPECT, dead));
    }
  }

  /** A member that is known to be gone needs no check. Any thread. */
  void gone(Address member) {
    removeSuspect(member);
    up_prot.up(new Event(Event.SUSPECT, List.of(member)));
  }

  @Override
  public synchronized void stop() {
    super.stop();
    deadlines.clear();
  }
}
