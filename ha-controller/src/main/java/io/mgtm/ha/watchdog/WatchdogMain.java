package io.mgtm.ha.watchdog;

import io.mgtm.ha.watchdog.GuardFile.Guarded;
import io.mgtm.ha.watchdog.SharedFile.Field;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The watchdog's process, one for each folder. It ends a hierarchy that {@code guard.json} names
 * whenever its deadline in the shared file has passed, until the controller moves that forward
 * again. Just before, it kills the controller: one that stood still must not go on later with what
 * it was about to do. It needs nothing of the controller, and goes on without it.
 */
public final class WatchdogMain {
  /** Another watchdog has the folder. */
  private static final int TAKEN = 3;

  private static final int TICK_MS = 20;
  private static final int DISARM_MS = 2_000;

  private final Path folder;
  private final SharedFile shared;
  private final Guards guards;
  private final Device device = new Device(WatchdogMain::say);
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile GuardFile guard = GuardFile.EMPTY;

  /** By a signal, as at the machine's shutdown. */
  private volatile boolean terminated;

  private Object guardKey = "";

  /** Hierarchies whose deadline had passed when it was looked at last; null before that. */
  private Set<String> expired;

  private WatchdogMain(Path folder) throws IOException {
    this.folder = folder;
    this.shared = SharedFile.open(folder);
    this.guards = new Guards(threads(), this::isExpired, WatchdogMain::say);
  }

  private static ExecutorService threads() {
    return Executors.newCachedThreadPool(
        task -> {
          Thread thread = new Thread(task, "guard");
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Runs until the controller asks it to end; the argument is the folder. */
  public static void main(String[] args) throws Exception {
    if (args.length != 1) {
      System.err.println("usage: WatchdogMain FOLDER");
      System.exit(1);
    }
    Path folder = Path.of(args[0]);
    try (FileChannel channel = openLock(folder);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        System.err.println("another watchdog runs in " + folder);
        System.exit(TAKEN);
      }
      say("watches over " + folder);
      WatchdogMain watchdog = new WatchdogMain(folder);
      Runtime.getRuntime().addShutdownHook(new Thread(watchdog::terminate, "terminate"));
      watchdog.run();
      say("ends, as it was asked to");
    }
    System.exit(0);
  }

  static FileChannel openLock(Path folder) throws IOException {
    return FileChannel.open(
        folder.resolve("watchdog.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static void say(String sentence) {
    System.err.println(Instant.now() + " " + sentence);
  }

  private boolean isExpired(String hierarchy) {
    Guarded guarded = guard.hierarchies().get(hierarchy);
    return guarded != null && !shared.mayRun(guarded.slot(), System.nanoTime());
  }

  /**
   * Leaves a device armed while something is guarded, which without a watchdog must not run for
   * long; otherwise the machine is not reset.
   */
  private void terminate() {
    terminated = true;
    try {
      if (guard.hierarchies().isEmpty() && !ended.await(DISARM_MS, TimeUnit.MILLISECONDS)) {
        say("ended by a signal before its device was closed");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() throws InterruptedException {
    shared.set(Field.FORMAT, SharedFile.FORMAT);
    while (shared.get(Field.STOP) == 0 && !(terminated && guard.hierarchies().isEmpty())) {
      readGuard();
      Map<String, Guarded> ended = new TreeMap<>(guard.hierarchies());
      ended.keySet().removeIf(hierarchy -> !isExpired(hierarchy));
      noteEnds(ended.keySet());
      boolean clean = guards.pass(ended);
      long now = System.nanoTime();
      if (clean) {
        device.feed(guard.device(), now);
      }
      shared.set(Field.BEAT, now);
      Thread.sleep(TICK_MS);
    }
    device.close();
    ended.countDown();
  }

  private void noteEnds(Set<String> now) {
    Set<String> before = expired;
    expired = Set.copyOf(now);
    if (before == null ? !now.isEmpty() : !before.containsAll(now)) {
      guards.sayAnew();
      // What had ended before this watchdog was there is no reason: a later controller may be
      // there.
      boolean killed = before != null && guard.controller().kill();
      say("THE LEASE HAS ENDED: ending " + now + (killed ? ", and killed the controller" : ""));
    }
  }

  /** One that cannot be read is as if it had not been written: the last good one stays. */
  private void readGuard() {
    Object key;
    try {
      BasicFileAttributes now =
          Files.readAttributes(GuardFile.path(folder), BasicFileAttributes.class);
      key = now.fileKey() + " " + now.lastModifiedTime() + " " + now.size();
    } catch (IOException e) {
      return; // none was written yet, or it was taken away
    }
    if (key.equals(guardKey)) {
      return;
    }
    guardKey = key;
    try {
      guard = GuardFile.read(folder);
      shared.set(Field.GUARD, guard.version());
    } catch (IOException e) {
      say("guard.json cannot be read, and the one before holds: " + e.getMessage());
    }
  }
}
