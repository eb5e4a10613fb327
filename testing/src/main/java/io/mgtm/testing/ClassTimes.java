package io.mgtm.testing;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

/**
 * Notes for each class of tests how long it took and how much of a processor, with the processes
 * that it started and saw end: on a machine that others use, only the latter can be compared. A
 * line of {@code target/test-times} is the class, elapsed milliseconds and processor milliseconds.
 * {@code ./mgtm test --times} shows them.
 */
public final class ClassTimes implements TestExecutionListener {
  /** The module's folder, as Maven's runners of tests set it; others want no notes. */
  private static final String MODULE = System.getProperty("basedir", "");

  private static final Path FILE = Path.of(MODULE, "target", "test-times");
  private static final Path OWN_STATUS = Path.of("/proc/self/stat");

  /** Of what the kernel counts in, for every program: USER_HZ. */
  private static final int TICK_MS = 10;

  private final Map<String, Long> startedNanos = new ConcurrentHashMap<>();
  private final Map<String, Long> startedCpuMs = new ConcurrentHashMap<>();

  @Override
  public void executionStarted(TestIdentifier test) {
    if (isTopClass(test)) {
      startedNanos.put(test.getUniqueId(), System.nanoTime());
      startedCpuMs.put(test.getUniqueId(), cpuMs());
    }
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    Long nanos = startedNanos.remove(test.getUniqueId());
    if (nanos != null) {
      long elapsedMs = (System.nanoTime() - nanos) / 1_000_000;
      long cpuMs = cpuMs() - startedCpuMs.remove(test.getUniqueId());
      note("%s\t%d\t%d%n".formatted(className(test), elapsedMs, cpuMs));
    }
  }

  private static boolean isTopClass(TestIdentifier test) {
    return !className(test).isEmpty() && !className(test).contains("$");
  }

  private static String className(TestIdentifier test) {
    TestSource source = test.getSource().orElse(null);
    return source instanceof ClassSource found ? found.getClassName() : "";
  }

  private static void note(String line) {
    try {
      if (!MODULE.isEmpty()) {
        Files.writeString(
            FILE,
            line,
            StandardCharsets.UTF_8,
            StandardOpenOption.CREATE,
            StandardOpenOption.APPEND);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of this process and of those that it waited for: utime, stime, cutime and cstime. */
  private static long cpuMs() {
    try {
      String status = Files.readString(OWN_STATUS);
      String[] fields = status.substring(status.lastIndexOf(')') + 2).split(" ", -1);
      long ticks = 0;
      for (int i = 11; i <= 14; i++) {
        ticks += Long.parseLong(fields[i]);
      }
      return ticks * TICK_MS;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
