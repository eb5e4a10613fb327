package io.mgtm.gtm.sim;

import io.mgtm.group.storage.SimulatedCrash;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * A process of a host: threads whose tasks run when the seed says, which stand still while it is
 * paused, and whose memory is gone when it dies.
 */
class SimProcess {
  /** A pause of a proxy by which its session may have ended. */
  private static final int LONG_MS = 3_000;

  /** Within this it has asked the group again. */
  private static final int BEHIND_MS = 2_000;

  final World world;
  final SimHost host;
  final SimThread owner;

  private boolean alive = true;
  private boolean stoodStillLong;
  private long pausedUntil;
  private int crashAfterEffects = -1;

  SimProcess(World world, SimHost host) {
    this.world = world;
    this.host = host;
    this.owner = new SimThread(() -> world.some(20_000));
  }

  boolean isAlive() {
    return alive;
  }

  boolean isPaused() {
    return pausedUntil > world.now();
  }

  /** It does nothing for a while, and goes on with what it knew. */
  void pause(long ms) {
    pausedUntil = Math.max(pausedUntil, world.now() + ms * World.MS);
    stoodStillLong |= ms > LONG_MS;
    world.trace("%s is paused for %d ms", host.name, ms);
  }

  /** Whether it once stood still for so long that the group may have given it up. */
  boolean stoodStillLong() {
    return stoodStillLong;
  }

  /** Whether it stood still for so long, and does not know yet what it has lost by that. */
  boolean isBehind() {
    return stoodStillLong && world.now() < pausedUntil + BEHIND_MS * World.MS;
  }

  /** What leaves it now waits until it goes on. */
  long pauseLeft() {
    return Math.max(0, pausedUntil - world.now());
  }

  /** Dies when it has done so many things that the outside sees. */
  void crashAfterEffects(int count) {
    crashAfterEffects = count;
  }

  /** Something is about to leave it. */
  void effect() {
    if (!alive || crashAfterEffects == 0) {
      throw new SimulatedCrash();
    }
    if (crashAfterEffects > 0) {
      crashAfterEffects--;
    }
  }

  /** What it is to the schedule that it stands still. */
  Happening standingStill() {
    return Happening.PROXY_STOOD_STILL;
  }

  /** Its memory is gone. */
  void die() {
    alive = false;
  }

  /** A task of one of its threads. */
  final void run(Runnable task) {
    if (!alive) {
      return;
    }
    try {
      task.run();
    } catch (SimulatedCrash crash) {
      if (alive) {
        world.trace("%s dies between two effects", host.name);
        world.note(host.disk.hasCrashed() ? Happening.DIED_STORING : Happening.DIED_SENDING);
        host.died(this);
      }
    } catch (Violation e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw world.violated(host.name + ": " + e, e);
    }
  }

  /** Runs a task on the owner after a while by this host's clock. */
  void after(long delayMs, Runnable task) {
    world.after(host.clock.real(delayMs * World.MS), () -> owner.execute(task));
  }

  /** A thread; tasks run in their order. */
  final class SimThread implements Executor {
    private final LongSupplier delay;
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private boolean scheduled;

    SimThread(LongSupplier delay) {
      this.delay = delay;
    }

    @Override
    public void execute(Runnable task) {
      if (alive) {
        tasks.add(task);
        schedule();
      }
    }

    private void schedule() {
      if (!scheduled && !tasks.isEmpty()) {
        scheduled = true;
        world.after(delay.getAsLong(), this::next);
      }
    }

    private void next() {
      if (!alive) {
        return;
      }
      if (isPaused()) {
        world.note(standingStill());
        world.after(pauseLeft(), this::next);
        return;
      }
      scheduled = false;
      run(tasks.poll());
      schedule();
    }
  }
}
