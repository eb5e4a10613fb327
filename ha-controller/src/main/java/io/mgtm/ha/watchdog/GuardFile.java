package io.mgtm.ha.watchdog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.mgtm.ha.kit.GuardStep;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/**
 * {@code guard.json}: what the watchdog ends.
 *
 * @param version grows with each that is written
 * @param device a watchdog of the kernel that is fed too, such as {@code /dev/watchdog}, or empty
 * @param controller the process that is killed before a hierarchy is ended
 * @param hierarchies by name; each is ended when its own deadline has passed
 */
record GuardFile(
    long version, String device, Controller controller, Map<String, Guarded> hierarchies) {

  /**
   * A process that is told from a later one of its number by its start.
   *
   * @param pid 0 for none
   * @param startMs in milliseconds since 1970, as the system says
   */
  record Controller(long pid, long startMs) {
    static final Controller NONE = new Controller(0, 0);

    static Controller self() {
      ProcessHandle self = ProcessHandle.current();
      return new Controller(self.pid(), start(self));
    }

    private static long start(ProcessHandle process) {
      return process.info().startInstant().map(Instant::toEpochMilli).orElse(-1L);
    }

    /** Kills it if it is still there; whether it was. */
    boolean kill() {
      return pid != 0
          && ProcessHandle.of(pid)
              .filter(process -> start(process) == startMs)
              .map(ProcessHandle::destroyForcibly)
              .orElse(false);
    }
  }

  /**
   * What ends a hierarchy.
   *
   * @param slot of its deadline in the shared file
   * @param steps in their order
   * @param after see {@link GuardPlan#after}; null in one that another version has written
   */
  record Guarded(int slot, List<GuardStep> steps, List<List<Integer>> after) {
    static Guarded of(int slot, GuardPlan plan) {
      return new Guarded(slot, plan.steps(), plan.after());
    }

    GuardPlan plan() {
      return new GuardPlan(steps, after);
    }
  }

  private static final String NAME = "guard.json";
  private static final ObjectMapper JSON = new ObjectMapper();

  static final GuardFile EMPTY = new GuardFile(0, "", Controller.NONE, Map.of());

  static Path path(Path folder) {
    return folder.resolve(NAME);
  }

  /**
   * Reads it.
   *
   * @throws IOException also when it is damaged
   */
  static GuardFile read(Path folder) throws IOException {
    byte[] bytes = Files.readAllBytes(path(folder));
    try {
      GuardFile read = JSON.readValue(bytes, GuardFile.class);
      if (read == null || read.device == null || read.controller == null) {
        throw new IOException("parts of it are missing");
      }
      read.hierarchies.forEach((name, guarded) -> guarded.plan().check());
      return read;
    } catch (JsonProcessingException e) {
      throw damaged(folder, e.getOriginalMessage(), e);
    } catch (IOException | RuntimeException e) {
      throw damaged(folder, e.getMessage(), e);
    }
  }

  private static IOException damaged(Path folder, String why, Exception cause) {
    return new IOException(
        "%s is damaged (%s); it says what an earlier controller had in service: take that out of service by hand, or restart the machine, and remove the file"
            .formatted(path(folder), why == null ? "parts of it are missing" : why),
        cause);
  }

  /** Wholly or not at all. */
  void write(Path folder) throws IOException {
    Path next = folder.resolve(NAME + ".next");
    // By its type: without it the elements of the lists would not be told apart.
    JSON.writerFor(GuardFile.class).writeValue(next.toFile(), this);
    Files.move(next, path(folder), StandardCopyOption.ATOMIC_MOVE);
  }
}
