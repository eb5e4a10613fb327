package io.mgtm.ha.watchdog;

import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.ha.kit.Daemon;
import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.watchdog.GuardFile.Controller;
import io.mgtm.ha.watchdog.SharedFile.Field;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A watchdog in its process, which feeders in theirs feed until they are killed or stopped. */
class WatchdogIT {
  private static final int GUARD_MS = 60_000;
  private static final long LEASE_MS = 6_000;
  private static final long FAR_NANOS = TimeUnit.MINUTES.toNanos(10);
  private static final String DEVICE = "mw" + Long.toString(ProcessHandle.current().pid(), 36);

  @TempDir Path temporary;
  private final List<Process> processes = new ArrayList<>();
  private Path folder;
  private Path work;

  @BeforeEach
  void makeFolders() throws Exception {
    folder = Files.createDirectories(temporary.toRealPath().resolve("watchdog"));
    work = Files.createDirectories(temporary.toRealPath().resolve("work"));
  }

  @AfterEach
  void end() throws Exception {
    processes.forEach(one -> one.destroyForcibly().onExit().join());
    Await.until(
        "all are gone",
        () -> Processes.kill(one -> one.worksIn(folder, "") || one.worksIn(work, "")) == 0);
    Daemon watchdog = Watchdog.process(folder);
    Await.until(
        "its control group is gone",
        () -> {
          // A program that the watchdog had just begun when it was killed works in no folder of
          // ours.
          for (GuardStep step : watchdog.guard()) {
            GuardSteps.isDone(step);
          }
          return watchdog.removeGroup();
        });
  }

  private void run(Path where, String... command) throws IOException {
    processes.add(
        new ProcessBuilder(command)
            .directory(where.toFile())
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(temporary.resolve("log").toFile()))
            .start());
  }

  private int status(String script) throws Exception {
    run(temporary, "/bin/sh", "-c", script);
    return processes.get(processes.size() - 1).waitFor();
  }

  /** A process, its child, and one in another session. */
  private void startWork() throws Exception {
    run(work, "sh", "-c", "sleep 1000 & setsid sleep 1000 & wait");
    Await.until("it works", () -> working() == 3);
  }

  private long working() {
    return Processes.all().stream().filter(one -> one.worksIn(work, "")).count();
  }

  private long watchdogPid() {
    return Processes.all().stream()
        .filter(one -> one.worksIn(folder, "java"))
        .findFirst()
        .orElseThrow()
        .pid();
  }

  private List<GuardStep> theWork() {
    return List.of(new GuardStep.KillWorkingIn(work.toString(), ""));
  }

  /** Whose controller is nobody: the process of the test must not be killed. */
  private Watchdog watchdog(String device, int guardMs) throws IOException {
    return new Watchdog(folder, guardMs, device, Controller.NONE);
  }

  private static long far() {
    return System.nanoTime() + FAR_NANOS;
  }

  private String said() throws IOException {
    return Files.readString(folder.resolve("watchdog.log"));
  }

  private boolean guardsBoth(SharedFile shared) throws IOException {
    GuardFile file = GuardFile.read(folder);
    return file.hierarchies().size() == 2 && shared.get(Field.GUARD) == file.version();
  }

  /** A feeder that has fed for longer than the lease. */
  private Process feeder(String removal) throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");
    run(
        temporary,
        java,
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        classes,
        FeederMain.class.getName(),
        folder.toString(),
        Long.toString(LEASE_MS),
        work.toString(),
        removal);
    Process feeder = processes.get(processes.size() - 1);
    SharedFile shared = SharedFile.open(folder);
    Await.until(
        "it feeds; " + Files.readString(temporary.resolve("log")),
        () -> shared.get(Field.GUARD) != 0 && guardsBoth(shared));
    long first = shared.deadline(0);
    Await.until(
        "the first lease is over, and another holds",
        () ->
            System.nanoTime() - first > TimeUnit.MILLISECONDS.toNanos(LEASE_MS / 2)
                && shared.mayRun(0, System.nanoTime()));
    return feeder;
  }

  private void addressGoesWithTheFeeder(String signal) throws Exception {
    Assumptions.assumeTrue(
        "root".equals(System.getProperty("user.name")) && status("command -v ip") == 0,
        "SKIPPED: this needs root and iproute2");
    String shown = "ip -o address show dev " + DEVICE + " to 198.18.251.9 | grep -q .";
    startWork();
    try {
      assertThat(status("ip link add " + DEVICE + " type veth peer name " + DEVICE + "p")).isZero();
      assertThat(status("ip address add 198.18.251.9/32 dev " + DEVICE)).isZero();
      Process feeder =
          feeder("ip address del 198.18.251.9/32 dev %s; ! %s".formatted(DEVICE, shown));
      assertThat(working()).as("while it is fed nothing is touched: %s", said()).isEqualTo(3);
      assertThat(status(shown)).as("the address is there").isZero();

      assertThat(status("kill -" + signal + " " + feeder.pid())).isZero();

      Await.until("what was guarded is gone", () -> working() == 0);
      Await.until("the address is gone", () -> status(shown) != 0);
      Await.until("it says so", () -> said().contains("nothing is left of db"));
      Await.until("the controller cannot go on", () -> !feeder.isAlive());
    } finally {
      status("ip link del " + DEVICE);
    }
  }

  @Test
  @Tag("long")
  void killedControllersWorkAndAddressAreEnded() throws Exception {
    addressGoesWithTheFeeder("KILL");
  }

  @Test
  void stoppedControllersWorkAndAddressAreEnded() throws Exception {
    addressGoesWithTheFeeder("STOP");
  }

  @Test
  void outlivesItsControllerAndTheNextOneAdoptsIt() throws Exception {
    startWork();
    Watchdog first = watchdog("", GUARD_MS);
    first.ensureRunning();
    first.guard("db", theWork(), far());
    long pid = watchdogPid();

    Watchdog second = watchdog("", GUARD_MS);
    second.ensureRunning();

    assertThat(watchdogPid()).isEqualTo(pid);
    assertThat(second.plan("db").steps()).isEqualTo(theWork());
    assertThat(second.feed("db", far())).as("it goes on with what was guarded").isTrue();
    assertThat(working()).isEqualTo(3);
    second.guard("db", List.of(), 0);
    second.stop();
    assertThat(said()).contains("ends, as it was asked to");
  }

  @Test
  void deadOrHungOneIsNoticedAndReplaced() throws Exception {
    startWork();
    Watchdog watchdog = watchdog("", 2_000);
    watchdog.ensureRunning();
    watchdog.guard("db", theWork(), far());
    for (String signal : List.of("KILL", "STOP")) {
      long pid = watchdogPid();
      assertThat(status("kill -" + signal + " " + pid)).isZero();
      Await.until("it is noticed", () -> !watchdog.isRunning());
      assertThat(watchdog.feed("db", far())).as("nobody is sure to act").isFalse();

      watchdog.ensureRunning();
      assertThat(watchdogPid()).isNotEqualTo(pid);
    }
    watchdog.mustActWithin(0);
    assertThat(watchdog.feed("db", far())).as("a grant wants one that is faster").isFalse();
  }

  @Test
  void folderHasOneWatchdog() throws Exception {
    watchdog("", GUARD_MS).ensureRunning();
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String classes = System.getProperty("java.class.path");

    run(
        temporary,
        java,
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-cp",
        classes,
        WatchdogMain.class.getName(),
        folder.toString());

    assertThat(processes.get(0).waitFor()).isEqualTo(3);
    assertThat(temporary.resolve("log")).content().contains("another watchdog runs in " + folder);
  }

  @Test
  void oneHierarchysEndLeavesTheOthersAlone() throws Exception {
    startWork();
    Watchdog watchdog = watchdog("", GUARD_MS);
    watchdog.ensureRunning();
    Path ended = temporary.resolve("ended");
    watchdog.guard("db", theWork(), far());
    watchdog.guard(
        "other", List.of(new GuardStep.Run(List.of("touch", ended.toString()), 5_000)), far());

    int slot = GuardFile.read(folder).hierarchies().get("other").slot();
    SharedFile.open(folder).setDeadline(slot, System.nanoTime());

    Await.until("the other is ended", () -> Files.exists(ended));
    Await.until("nothing is left of it", () -> said().contains("nothing is left of other"));
    assertThat(working()).isEqualTo(3);
  }

  @Test
  void unreadableGuardFileLeavesTheLastGoodOne() throws Exception {
    startWork();
    Watchdog watchdog = watchdog("", GUARD_MS);
    watchdog.ensureRunning();
    watchdog.guard("db", theWork(), far());
    Files.writeString(folder.resolve("guard.json"), "{\"version\":");
    Await.until("it is noticed", () -> said().contains("guard.json cannot be read"));
    assertThat(working()).isEqualTo(3);

    // As if the time had come.
    SharedFile.open(folder).setDeadline(0, System.nanoTime());

    Await.until("the work is ended", () -> working() == 0);
  }

  @Test
  void hungStepHoldsUpNothingElse() throws Exception {
    startWork();
    Path fifo = Files.createDirectories(folder.resolve("group")).resolve("cgroup.procs");
    assertThat(status("mkfifo " + fifo)).isZero();
    Watchdog watchdog = watchdog("", GUARD_MS);
    watchdog.ensureRunning();
    watchdog.guard(
        "db",
        List.of(
            new GuardStep.KillCgroup(fifo.getParent().toString()),
            new GuardStep.Run(List.of("sleep", "1000"), 100),
            new GuardStep.KillWorkingIn(work.toString(), "")),
        far());
    SharedFile.open(folder).setDeadline(0, System.nanoTime());

    Await.until("the work is ended", () -> working() == 0);
    Await.until("it says what hangs", () -> said().contains("hangs; going on without it"));
    assertThat(status("timeout 60 sh -c 'echo 0 >" + fifo + "'")).isZero();
  }

  @Test
  void kernelsWatchdogIsFedWhileTheLeaseHoldsOrNothingIsLeft() throws Exception {
    Path device = Files.createFile(temporary.resolve("device"));
    Watchdog watchdog = watchdog(device.toString(), GUARD_MS);
    watchdog.ensureRunning();
    watchdog.guard("db", List.of(new GuardStep.Run(List.of("false"), 1_000)), far());
    Await.until("it is fed", () -> Files.size(device) > 1);

    SharedFile.open(folder).setDeadline(0, System.nanoTime());
    Await.until("the lease has ended", () -> said().contains("THE LEASE HAS ENDED"));
    long size = Files.size(device);
    SharedFile shared = SharedFile.open(folder);
    long beat = shared.get(Field.BEAT);
    Await.until(
        "it goes on for some seconds",
        () -> shared.get(Field.BEAT) - beat > TimeUnit.SECONDS.toNanos(3));
    assertThat(Files.size(device)).as("what cannot be ended resets the machine").isEqualTo(size);

    watchdog.guard("db", List.of(), 0);
    Await.until("it is fed again", () -> Files.size(device) > size);
    watchdog.stop();
    assertThat(Files.readString(device)).as("closed in order").endsWith("\0V");
  }

  @Test
  void aSignalDisarmsOnlyWhileNothingIsGuarded() throws Exception {
    Path device = Files.createFile(temporary.resolve("device"));
    Watchdog watchdog = watchdog(device.toString(), GUARD_MS);
    watchdog.ensureRunning();
    watchdog.guard("db", List.of(new GuardStep.Run(List.of("false"), 1_000)), far());
    Await.until("it is fed", () -> Files.size(device) > 0);
    terminate();
    assertThat(Files.readString(device)).as("armed").doesNotContain("V");

    watchdog.ensureRunning();
    watchdog.guard("db", List.of(), 0);
    long size = Files.size(device);
    Await.until("it is fed again", () -> Files.size(device) > size);
    terminate();
    assertThat(Files.readString(device)).as("closed in order").endsWith("\0V");
  }

  private void terminate() throws Exception {
    Path real = Processes.real(folder);
    ProcessHandle process =
        ProcessHandle.allProcesses()
            .filter(each -> real.equals(Processes.real(Path.of("/proc/" + each.pid(), "cwd"))))
            .findFirst()
            .orElseThrow();
    process.destroy();
    Await.until("the watchdog has ended", () -> !process.isAlive());
  }
}
