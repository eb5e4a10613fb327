package io.mgtm.ha.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Control groups of version 2: one for the processes of each resource, so that all of them can be
 * killed at once, and so that they live on when systemd ends the controller's own group.
 */
public final class Cgroup {
  private static final Path MOUNTS = Path.of("/proc/self/mounts");
  private static final String PARENT = "mgtm-ha";
  private static final int TYPE = 2;
  private static final String JOIN =
      "[ -z \"$1\" ] || echo $$ >\"$1/cgroup.procs\"; shift; exec \"$@\"";

  private Cgroup() {}

  /** The folder of a resource's group, whether it is there or not; empty where there are none. */
  static Optional<Path> folder(KitContext context) {
    String name =
        "%s.%s.%s-%08x"
            .formatted(
                context.node(),
                context.hierarchy(),
                context.resource(),
                context.runtime().toAbsolutePath().toString().hashCode());
    return root().map(root -> root.resolve(PARENT).resolve(name.replaceAll("[^\\w.-]", "_")));
  }

  /** The same, made if it can be; one that cannot be made is as good as none. */
  static Optional<Path> made(KitContext context) {
    Optional<Path> folder = folder(context);
    try {
      if (folder.isPresent()) {
        Files.createDirectories(folder.get());
      }
      return folder;
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** A command that joins the resource's group, where there is one, before it begins. */
  static List<String> joining(KitContext context, List<String> command) {
    String group = made(context).map(Path::toString).orElse("");
    List<String> whole = new ArrayList<>(List.of("/bin/sh", "-c", JOIN, "sh", group));
    whole.addAll(command);
    return whole;
  }

  /** What the watchdog does to it. */
  static List<GuardStep> guard(KitContext context) {
    return folder(context)
        .map(group -> List.<GuardStep>of(new GuardStep.KillCgroup(group.toString())))
        .orElse(List.of());
  }

  /** Removes it, unless a process is in it; whether it is gone. */
  static boolean remove(KitContext context) {
    Optional<Path> folder = folder(context);
    try {
      if (folder.isPresent()) {
        Files.deleteIfExists(folder.get());
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static Optional<Path> root() {
    try {
      for (String line : Files.readAllLines(MOUNTS)) {
        String[] fields = line.split(" ", -1);
        if (fields[TYPE].equals("cgroup2") && Files.isWritable(Path.of(fields[1]))) {
          return Optional.of(Path.of(fields[1]));
        }
      }
    } catch (IOException e) {
      // Without /proc there are no groups either.
    }
    return Optional.empty();
  }

  /**
   * SIGKILL to all processes of a group, as {@link GuardStep.KillCgroup} says.
   *
   * @return how many there were
   */
  public static int kill(Path folder) throws IOException {
    Path list = folder.resolve("cgroup.procs");
    if (!Files.exists(list)) {
      return 0;
    }
    List<String> pids = Files.readAllLines(list);
    if (pids.isEmpty()) {
      return 0;
    }
    Path all = folder.resolve("cgroup.kill");
    if (Files.exists(all)) {
      Files.writeString(all, "1");
    } else {
      Processes.kill(one -> pids.contains(Long.toString(one.pid())));
    }
    return pids.size();
  }
}
