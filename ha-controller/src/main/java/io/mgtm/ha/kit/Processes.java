package io.mgtm.ha.kit;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The processes of this machine, as {@code /proc} shows them; nothing here touches a file system
 * that may hang. Those of other users can be told apart by root only. Any thread.
 */
public final class Processes {
  private static final Path PROC = Path.of("/proc");
  private static final String DELETED = " (deleted)";

  /** Where the fields of {@code /proc/PID/stat} stand, counted from the one after the name. */
  private static final int STATE = 0;

  private static final int PARENT = 1;
  private static final int SESSION = 3;
  private static final int THREADS = 17;
  private static final int STARTED = 19;

  private Processes() {}

  /**
   * A process that has not ended.
   *
   * @param state a letter, as in proc(5)
   * @param startedTicks since the boot; with it a pid is unique
   */
  public record Proc(long pid, long parent, long session, char state, long startedTicks) {
    /** Whether this is that process, not a later one of its number. */
    public boolean isSame(Proc other) {
      return pid == other.pid && startedTicks == other.startedTicks;
    }

    /** Whether a signal or a debugger has stopped it. */
    public boolean isStopped() {
      return state == 'T' || state == 't';
    }

    /** Whether it works in a folder, and is of a program of that name, if one is given. */
    public boolean worksIn(Path folder, String program) {
      return link("cwd").filter(folder.toString()::equals).isPresent()
          && (program.isEmpty() || program.equals(program()));
    }

    /** Whether it was started with this in its environment. */
    public boolean hasEnvironment(String setting) {
      return ("\0" + text(PROC.resolve(pid + "/environ"))).contains("\0" + setting + "\0");
    }

    /** What it was started with, its program first; nothing of one that has ended. */
    public List<String> arguments() {
      byte[] all = bytes(PROC.resolve(pid + "/cmdline"));
      int end = all.length > 0 && all[all.length - 1] == 0 ? all.length - 1 : all.length;
      String text = new String(all, 0, end, StandardCharsets.UTF_8);
      return text.isEmpty() ? List.of() : List.of(text.split("\0", -1));
    }

    /** Whether its program, its working folder or a file that it has open is in a folder. */
    public boolean uses(Path folder) {
      for (String name : List.of("cwd", "root", "exe")) {
        if (link(name).filter(target -> isIn(target, folder)).isPresent()) {
          return true;
        }
      }
      try (DirectoryStream<Path> files = Files.newDirectoryStream(PROC.resolve(pid + "/fd"))) {
        for (Path file : files) {
          if (target(file).filter(target -> isIn(target, folder)).isPresent()) {
            return true;
          }
        }
      } catch (IOException e) {
        return false; // it has ended
      }
      return false;
    }

    /** The name of its program's file; empty for those of the kernel. */
    public String program() {
      return link("exe").map(target -> target.substring(target.lastIndexOf('/') + 1)).orElse("");
    }

    /** The first thread may have ended before the others, which hold what they share. */
    private Optional<String> link(String name) {
      Optional<String> target = target(PROC.resolve(pid + "/" + name));
      if (target.isPresent()) {
        return target;
      }
      try (DirectoryStream<Path> threads = Files.newDirectoryStream(PROC.resolve(pid + "/task"))) {
        for (Path thread : threads) {
          target = target.or(() -> target(thread.resolve(name)));
        }
      } catch (IOException e) {
        return Optional.empty(); // it has ended
      }
      return target;
    }
  }

  private static boolean isIn(String target, Path folder) {
    return target.equals(folder.toString()) || target.startsWith(folder + "/");
  }

  private static Optional<String> target(Path link) {
    try {
      String target = Files.readSymbolicLink(link).toString();
      return Optional.of(
          target.endsWith(DELETED)
              ? target.substring(0, target.length() - DELETED.length())
              : target);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static String text(Path file) {
    return new String(bytes(file), StandardCharsets.ISO_8859_1);
  }

  private static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      return new byte[0];
    }
  }

  /** Those that have not ended, without this one. */
  public static List<Proc> all() {
    List<Proc> all = new ArrayList<>();
    long self = ProcessHandle.current().pid();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(PROC, "[1-9]*")) {
      for (Path entry : entries) {
        long pid = Long.parseLong(entry.getFileName().toString());
        if (pid != self) {
          of(pid).ifPresent(all::add);
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("/proc cannot be read", e);
    }
    return all;
  }

  /** A process, unless it has ended. */
  public static Optional<Proc> of(long pid) {
    String stat = text(PROC.resolve(pid + "/stat"));
    int name = stat.lastIndexOf(')');
    if (name < 0) {
      return Optional.empty();
    }
    String[] fields = stat.substring(name + 2).split(" ", -1);
    char state = fields[STATE].charAt(0);
    boolean threads = Integer.parseInt(fields[THREADS]) > 1;
    if (state == 'X' || (state == 'Z' && !threads)) {
      return Optional.empty();
    }
    return Optional.of(
        new Proc(
            pid,
            Long.parseLong(fields[PARENT]),
            Long.parseLong(fields[SESSION]),
            state,
            Long.parseLong(fields[STARTED])));
  }

  /** Those that are asked for, and all that descend from them. */
  public static List<Proc> trees(Predicate<Proc> roots) {
    List<Proc> all = all();
    List<Proc> found = new ArrayList<>();
    Set<Long> pids = new HashSet<>();
    for (Proc one : all) {
      if (one.pid() != 1 && roots.test(one)) {
        found.add(one);
        pids.add(one.pid());
      }
    }
    for (int i = 0; i < found.size(); i++) {
      long parent = found.get(i).pid();
      for (Proc one : all) {
        if (one.parent() == parent && pids.add(one.pid())) {
          found.add(one);
        }
      }
    }
    return found;
  }

  /**
   * SIGKILL to those that are asked for and all that descend from them.
   *
   * @return how many there were; they may have begun others meanwhile, so repeat it until it is 0
   */
  public static int kill(Predicate<Proc> roots) {
    List<Proc> found = trees(roots);
    found.forEach(one -> signal(one, true));
    return found.size();
  }

  /** SIGKILL, or SIGTERM, unless the pid is that of another process by now. */
  static void signal(Proc one, boolean forcibly) {
    if (of(one.pid()).filter(now -> now.startedTicks() == one.startedTicks()).isEmpty()) {
      return;
    }
    ProcessHandle.of(one.pid())
        .ifPresent(
            handle -> {
              if (forcibly) {
                handle.destroyForcibly();
              } else {
                handle.destroy();
              }
            });
  }

  /** A folder as {@code /proc} names it: symbolic links followed, so far as it exists. */
  public static Path real(Path folder) {
    Path absolute = folder.toAbsolutePath().normalize();
    for (Path there = absolute; there != null; there = there.getParent()) {
      try {
        return there.toRealPath().resolve(there.relativize(absolute)).normalize();
      } catch (IOException e) {
        // The folder above may exist.
      }
    }
    return absolute;
  }
}
