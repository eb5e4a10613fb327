package io.mgtm.ha.watchdog;

import io.mgtm.ha.kit.Cgroup;
import io.mgtm.ha.kit.GuardStep;
import io.mgtm.ha.kit.KitException;
import io.mgtm.ha.kit.Processes;
import io.mgtm.ha.kit.Program;
import io.mgtm.ha.kit.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Does what guard steps say. Any thread; blocks. */
public final class GuardSteps {
  /** Nothing that a step prints is read: it must run also where no file can be made. */
  private static final int KEPT_BYTES = 0;

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
      return new PidFile(Path.of(kill.file())).killed();
    }
    return run((GuardStep.Run) step);
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
