package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.Daemon;
import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.KitContext;
import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.watchdog.GuardFile.Controller;
import io.mgtm.ha.watchdog.GuardFile.Guarded;
import io.mgtm.ha.watchdog.SharedFile.Field;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * The controller's side of the watchdog. What is in service, or about to be, is guarded first; then
 * its deadline is moved forward with each lease. Both are refused while no watchdog is sure to act,
 * so that a lease is not taken up without one. One thread owns it, but for {@link #feed}, {@link
 * #plan}, {@link #mustActWithin} and {@link #isRunning}, which any thread may call.
 */
public final class Watchdog {
  /** A watchdog that starts on a busy machine takes so long at most. */
  private static final long START_MS = 30_000;

  private static final int POLL_MS = 5;
  private static final List<String> JAVA =
      List.of("-Xmx16m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xss256k");

  private final Path folder;
  private volatile long guardNanos;
  private final String device;
  private final Controller controller;
  private final SharedFile shared;
  private final Map<String, Guarded> guarded = new ConcurrentHashMap<>();
  private final Daemon process;

  /**
   * Of a folder, on a file system that does not hang and is best empty after a boot.
   *
   * @param guardMs a watchdog that was not seen for so long does not count
   * @param device a watchdog of the kernel that is fed too, or empty
   */
  public Watchdog(Path folder, int guardMs, String device) throws IOException {
    this(folder, guardMs, device, Controller.self());
  }

  /** With another process in the place of the controller's. */
  Watchdog(Path folder, int guardMs, String device, Controller controller) throws IOException {
    this.controller = controller;
    this.folder = Files.createDirectories(folder).toRealPath();
    mustActWithin(guardMs);
    this.device = device;
    this.shared = SharedFile.open(this.folder);
    if (Files.exists(GuardFile.path(this.folder))) {
      guarded.putAll(GuardFile.read(this.folder).hierarchies());
    }
    this.process = process(this.folder);
  }

  static Daemon process(Path folder) {
    return new Daemon(new KitContext("ha", "watchdog", "", List.of(), Map.of(), folder, START_MS));
  }

  /** One that was not seen for so long does not count from now on. */
  public final void mustActWithin(int guardMs) {
    guardNanos = TimeUnit.MILLISECONDS.toNanos(guardMs);
  }

  /**
   * Whether one is there that reads what this version writes, and was seen within the time in which
   * it must act.
   */
  public boolean isRunning() {
    long beat = shared.get(Field.BEAT);
    return beat != 0
        && System.nanoTime() - beat < guardNanos
        && shared.get(Field.FORMAT) == SharedFile.FORMAT
        && !isFree();
  }

  /**
   * Starts a watchdog where none runs, also in the place of one that hangs.
   *
   * @throws IOException when none could be started
   */
  public void ensureRunning() throws IOException, InterruptedException {
    if (!isRunning()) {
      startProcess();
    }
    // Of a controller that was here before: it is this one's life that counts now.
    publish();
  }

  private void startProcess() throws IOException, InterruptedException {
    Path real = Processes.real(folder);
    await(
        "the old watchdog has ended", () -> Processes.kill(one -> one.worksIn(real, "java")) == 0);
    await("watchdog.lock of " + folder + " is free", this::isFree);
    shared.set(Field.BEAT, 0);
    shared.set(Field.FORMAT, 0);
    shared.set(Field.STOP, 0);
    List<String> command = new ArrayList<>(List.of("nice", "-n", "-20", java()));
    command.addAll(JAVA);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(WatchdogMain.class.getName(), folder.toString()));
    try {
      process.start(command, Map.of());
    } catch (KitException e) {
      throw new IOException(e.getMessage(), e);
    }
    await("a watchdog runs in " + folder, this::isRunning);
  }

  private static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  /** Nobody has the lock. Not asked while a watchdog starts, which would find it taken. */
  private boolean isFree() {
    try (FileChannel channel = WatchdogMain.openLock(folder);
        FileLock lock = channel.tryLock()) {
      return lock != null;
    } catch (IOException e) {
      return false;
    }
  }

  private void await(String what, BooleanSupplier condition)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(START_MS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new IOException(
            "it did not come to pass within %d ms that %s%s"
                .formatted(START_MS, what, process.said()));
      }
      Thread.sleep(POLL_MS);
    }
  }

  /**
   * Says what ends a hierarchy when its deadline has passed. When this returns the watchdog has
   * read it.
   *
   * @param plan {@link GuardPlan#NOTHING} when nothing is to be ended any more
   * @param deadlineNanos of {@code System.nanoTime}
   * @throws IOException when it could not be written, or no watchdog has read it
   */
  public void guard(String hierarchy, GuardPlan plan, long deadlineNanos)
      throws IOException, InterruptedException {
    if (!plan.endsSomething()) {
      guarded.remove(hierarchy);
    } else {
      int slot = guarded.containsKey(hierarchy) ? guarded.get(hierarchy).slot() : freeSlot();
      // First: the watchdog must not read of it with another's deadline.
      shared.setDeadline(slot, deadlineNanos);
      guarded.put(hierarchy, Guarded.of(slot, plan));
    }
    publish();
  }

  /** The same, with steps that are done one after the other. */
  void guard(String hierarchy, List<GuardStep> steps, long deadlineNanos)
      throws IOException, InterruptedException {
    guard(hierarchy, GuardPlan.inOrder(steps), deadlineNanos);
  }

  private int freeSlot() throws IOException {
    List<Integer> taken = guarded.values().stream().map(Guarded::slot).toList();
    return IntStream.range(0, SharedFile.SLOTS)
        .filter(slot -> !taken.contains(slot))
        .findFirst()
        .orElseThrow(
            () ->
                new IOException(
                    "the watchdog has %d hierarchies, and takes no more"
                        .formatted(SharedFile.SLOTS)));
  }

  private void publish() throws IOException, InterruptedException {
    long version = Math.max(shared.get(Field.GUARD) + 1, System.nanoTime());
    new GuardFile(version, device, controller, Map.copyOf(guarded)).write(folder);
    await("the watchdog has read guard.json", () -> shared.get(Field.GUARD) >= version);
  }

  /**
   * A guarded hierarchy may run until then.
   *
   * @param deadlineNanos of {@code System.nanoTime}
   * @return whether a watchdog runs and guards it; otherwise nothing has changed
   */
  public boolean feed(String hierarchy, long deadlineNanos) {
    Guarded of = guarded.get(hierarchy);
    if (of == null || !isRunning()) {
      return false;
    }
    shared.setDeadline(of.slot(), deadlineNanos);
    return true;
  }

  /** What ends a hierarchy, as the watchdog has been told; nothing when it is not guarded. */
  public GuardPlan plan(String hierarchy) {
    Guarded of = guarded.get(hierarchy);
    return of == null ? GuardPlan.NOTHING : of.plan();
  }

  /** Whether it guards nothing. */
  public boolean isIdle() {
    return guarded.isEmpty();
  }

  /**
   * Ends the watchdog in order, once nothing is in service any more.
   *
   * @throws IOException when it does not end
   */
  public void stop() throws IOException, InterruptedException {
    shared.set(Field.STOP, 1);
    await("the watchdog has ended", () -> !process.isRunning());
    process.removeGroup();
  }
}
