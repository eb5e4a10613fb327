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
import java.util.List;
import java.util.Map;

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
      int user = uid(file);
      Path process = Path.of("/proc", Long.toString(pid));
      if (user != 0 && Files.exists(process) && uid(process) != user) {
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

  private static int uid(Path file) throws IOException {
    return (int) Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS);
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
