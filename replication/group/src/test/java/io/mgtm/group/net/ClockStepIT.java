package io.mgtm.group.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jgroups.Event;
import org.jgroups.Message;
import org.jgroups.protocols.VERIFY_SUSPECT2;
import org.jgroups.stack.Protocol;
import org.jgroups.util.TimeScheduler3;
import org.jgroups.util.UUID;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The wall clock of a process, by libfaketime, is set while a suspicion is verified. JGroups' own
 * VERIFY_SUSPECT2 fails the first: run this class's main method with its name to see it.
 */
@Tag("long")
class ClockStepIT {
  private static final Path LIBRARY =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1");

  private static final int TIMEOUT_MS = 1_000;

  /** By how much the wall clock is ahead before it is set. */
  private static final long AHEAD = ahead();

  @TempDir Path folder;

  @Test
  void aDeadMemberIsToldInItsTimeThoughTheClockGoesBack() throws Exception {
    isToldInItsTime("-3600");
  }

  @Test
  void aDeadMemberIsToldInItsTimeThoughTheClockGoesAhead() throws Exception {
    isToldInItsTime("+3600");
  }

  private void isToldInItsTime(String seconds) throws Exception {
    assumeTrue(Files.exists(LIBRARY), "SKIPPED: libfaketime is not installed");
    Path offset = Files.writeString(folder.resolve("offset"), "+0\n");
    ProcessBuilder builder =
        new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ClockStepIT.class.getName(),
            GroupVerify.class.getName(),
            offset.toString(),
            seconds);
    builder
        .environment()
        .putAll(
            Map.of(
                "LD_PRELOAD", LIBRARY.toString(),
                "FAKETIME_TIMESTAMP_FILE", offset.toString(),
                "FAKETIME_NO_CACHE", "1",
                "FAKETIME_DONT_FAKE_MONOTONIC", "1",
                "DONT_FAKE_MONOTONIC", "1"));
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    assertThat(said).contains("SUSPECTED AFTER ITS TIME");
  }

  /** Arguments: a class, the file of the clock's offset, how far to set the clock in seconds. */
  public static void main(String[] arguments) throws Exception {
    VERIFY_SUSPECT2 verify =
        Class.forName(arguments[0])
            .asSubclass(VERIFY_SUSPECT2.class)
            .getDeclaredConstructor()
            .newInstance();
    AtomicReference<CountDownLatch> told = new AtomicReference<>();
    verify.setTimeout(TIMEOUT_MS);
    verify.setUpProtocol(
        new Protocol() {
          @Override
          public Object up(Event event) {
            told.get().countDown();
            return null;
          }
        });
    verify.setDownProtocol(
        new Protocol() {
          @Override
          public Object down(Message message) {
            return null;
          }
        });
    Field field = VERIFY_SUSPECT2.class.getDeclaredField("timer");
    field.setAccessible(true);
    field.set(verify, new TimeScheduler3());
    verify.start();
    String outcome = "SET TOO LATE";
    while (outcome.equals("SET TOO LATE")) {
      set(Path.of(arguments[1]), "+0");
      told.set(new CountDownLatch(1));
      long began = System.nanoTime();
      verify.up(new Event(Event.SUSPECT, List.of(UUID.randomUUID())));
      set(Path.of(arguments[1]), arguments[2]);
      if (told.get().getCount() > 0) {
        boolean ended = told.get().await(180, TimeUnit.SECONDS);
        boolean early = System.nanoTime() - began < TimeUnit.MILLISECONDS.toNanos(TIMEOUT_MS);
        outcome =
            !ended ? "NOT SUSPECTED" : early ? "SUSPECTED TOO EARLY" : "SUSPECTED AFTER ITS TIME";
      }
    }
    System.out.println(outcome);
    System.exit(0);
  }

  private static void set(Path file, String seconds) throws IOException {
    Files.writeString(file, seconds + "\n");
    long offset = Long.parseLong(seconds);
    while (Math.abs(ahead() - AHEAD - offset * 1_000) > 60_000) {
      Thread.onSpinWait();
    }
  }

  private static long ahead() {
    return System.currentTimeMillis() - System.nanoTime() / 1_000_000;
  }
}
