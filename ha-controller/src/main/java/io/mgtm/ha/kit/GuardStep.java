package io.mgtm.ha.kit;

import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;

/**
 * One thing that the watchdog does to end a resource at once. Steps are done in their order, all of
 * them, whatever one of them says.
 */
@JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "do")
@JsonSubTypes({
  @JsonSubTypes.Type(value = GuardStep.KillPidFile.class, name = "killPidFile"),
  @JsonSubTypes.Type(value = GuardStep.KillCgroup.class, name = "killCgroup"),
  @JsonSubTypes.Type(value = GuardStep.KillWorkingIn.class, name = "killWorkingIn"),
  @JsonSubTypes.Type(value = GuardStep.Run.class, name = "run")
})
public sealed interface GuardStep {

  /**
   * SIGKILL to the process whose number is the first line of a file, and to its descendants, unless
   * the process began after the file was written, or the file, a folder above it or a link on the
   * way belongs to a user who is not root and might not end the process.
   */
  record KillPidFile(String file) implements GuardStep {}

  /** SIGKILL to all processes of a control group (its folder), by {@code cgroup.kill}. */
  record KillCgroup(String folder) implements GuardStep {}

  /**
   * SIGKILL to all processes that work in a folder, as {@code /proc} names it, and to their
   * descendants.
   *
   * @param program those whose program's file has this name only, unless it is empty
   */
  record KillWorkingIn(String folder, String program) implements GuardStep {}

  /**
   * Runs a program, for so long at most; exit status 0 says that nothing is left of what it ends.
   */
  record Run(List<String> command, int deadlineMs) implements GuardStep {}
}
