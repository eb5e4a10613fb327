package io.mgtm.ha.core;

import io.mgtm.ha.model.Hierarchy;
import java.util.Set;

/**
 * What a {@link NodeAgent} does to the world. None of these calls back into the agent before it
 * returns, and none waits.
 */
public interface NodeEffects {

  /** Sends to every node on every path, and to this node's own {@link Leader}. */
  void send(Heartbeat heartbeat);

  /** What this node says of the quorum disk; null when it has none. */
  default DiskReport disk() {
    return null;
  }

  /**
   * An earlier incarnation of this node counted higher than this one, so that nobody hears this
   * one. The controller ends, and the next one's number is above both.
   *
   * @param by that incarnation
   */
  void overtaken(long by);

  /**
   * From here on calls and guards that name a hierarchy are of this one: what it was when it was
   * brought in service, until all of it is out.
   */
  void uses(String name, Hierarchy hierarchy);

  /**
   * Begins a call of a kit on another thread. Its end is told by {@link NodeAgent#ended}, once, and
   * only when nothing of it can have an effect any more: its thread has returned, its programs are
   * dead. A call of {@code IN_SERVICE} or {@code RECOVER} begins only after the watchdog has
   * acknowledged every {@link #guard} that came before it. Before the first call of an incarnation,
   * the programs of an earlier incarnation's calls are ended.
   */
  void call(Call call);

  /**
   * Whether a check has not begun yet, since as many are under way as may be. It has all of its
   * time when it begins.
   */
  default boolean isWaiting(long callId) {
    return false;
  }

  /** Whether what stands on a resource of this kit stays in service while that is repaired. */
  boolean isRepairedAlone(String kit);

  /** Ends a call early; its end is told as usual. */
  void cancel(long callId);

  /**
   * Has the watchdog end these resources, and the calls of this hierarchy, when {@code deadline}
   * has passed, in place of what it guarded of this hierarchy before. It ends the controller first
   * (SIGKILL): a controller that is still at it then stands still, and what it would do when it
   * goes on comes too late.
   *
   * @param resources empty: nothing any more
   * @param deadline on this node's monotonic clock
   * @param guardMs a watchdog that was not seen for so long does not count as one
   */
  void guard(String hierarchy, Set<String> resources, long deadline, int guardMs);
}
