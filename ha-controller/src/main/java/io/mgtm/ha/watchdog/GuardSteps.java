package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.Cgroup;
import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.kit.Program;
import io.mgtm.ha.kit.Programs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Does what guard steps say. Any thread; blocks. */
public final class GuardSteps {
  private static final int KEPT_BYTES = 512;

  private GuardSteps() {}

  /**
   * Does a step once.
   *
   * @return whether nothing was left of what it ends
   * @throws IOException when it could not be done
   */
  public static boolean isDone(GuardStep step) throws IOException, InterruptedException {
    if (step instanceof GuardStep.KillWorkingIn kill) {
      Path folder = Path.of(kill.folder());
      return Processes.kill(one -> one.worksIn(folder, kill.program())) == 0;
    }
    if (step instanceof GuardStep.KillCgroup kill) {
      return Cgroup.kill(Path.of(kill.folder())) == 0;
    }
    if (step instanceof GuardStep.KillPidFile kill) {
      return killPid(Path.of(kill.file()));
    }
    return run((GuardStep.Run) step);
  }

  private static boolean killPid(Path file) throws IOException {
    try {
      List<String> lines = Files.readAllLines(file);
      long pid = lines.isEmpty() ? 0 : Long.parseLong(lines.get(0).strip());
      Optional<ProcessHandle> process = ProcessHandle.of(pid);
      int user = owner(file);
      if (process.isPresent() && user != 0 && uid(Path.of("/proc", "" + pid)) != user) {
        if (startedAfter(process.get(), file)) {
          return true; // the process that wrote it has ended
        }
        // Who may write the file must not have root end what is not theirs.
        throw new IOException(
            "%s belongs to user %d, and process %d in it does not".formatted(file, user, pid));
      }
      return Processes.kill(one -> one.pid() == pid) == 0;
    } catch (NoSuchFileException e) {
      return true;
    } catch (NumberFormatException e) {
      throw new IOException(file + " begins with no pid", e);
    }
  }

  private static boolean startedAfter(ProcessHandle process, Path file) throws IOException {
    Instant written = Files.getLastModifiedTime(file).toInstant();
    return process.info().startInstant().filter(written::isBefore).isPresent();
  }

  /** Of a link too, where that is not root's: whoever it is has a say in what stands there. */
  private static int owner(Path file) throws IOException {
    int link = uid(file, LinkOption.NOFOLLOW_LINKS);
    return link == 0 ? uid(file) : link;
  }

  private static int uid(Path file, LinkOption... how) throws IOException {
    return (int) Files.getAttribute(file, "unix:uid", how);
  }

  private static boolean run(GuardStep.Run run) throws IOException, InterruptedException {
    try {
      Program program =
          new Program(run.command(), Map.of(), Path.of("/"), run.deadlineMs(), KEPT_BYTES, null);
      return Programs.run(program).status() == 0;
    } catch (KitException e) {
      throw new IOException(e.getMessage(), e);
    }
  }
}
