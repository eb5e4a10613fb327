package io.mgtm.bench.ha;

import io.mgtm.bench.volume.Exec;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What looks like a machine to the programs in it: namespaces of processes, mounts, networks, host
 * names and shared memory, of this machine's kernel and files. Its first process reaps the others
 * and ends when this process does; then the kernel kills all of them at once, and removes what was
 * mounted and the ends of networks. Root only. Any thread.
 */
final class Machine implements AutoCloseable {
  private static final int ANSWER_SECONDS = 120;

  /** What programs keep in common places is apart, as two JVMs may have one process id. */
  private static final String INIT =
      """
      set -e
      echo "$1" >/proc/sys/kernel/hostname
      mount -t tmpfs -o mode=755 tmpfs /run
      mount -t tmpfs -o mode=1777 tmpfs /dev/shm
      mkdir -p /tmp/hsperfdata_root
      mount -t tmpfs -o mode=755 tmpfs /tmp/hsperfdata_root
      mkdir -m 1777 /run/postgresql
      if [ -n "$2" ]; then mount --bind "$2" "$3"; fi
      ip link set lo up
      echo ready
      cat >/dev/null
      for loop in $(losetup -n -l -O NAME,BACK-FILE | awk -v own="$4/" 'index($2, own) == 1 {print $1}'); do
        losetup -d "$loop"
      done
      exit
      """;

  /** Leaves what it starts to the first process. */
  private static final String START =
      "exec >>\"$1\" 2>&1 </dev/null; shift; cd / && setsid \"$@\" &";

  private final String name;
  private final ControlGroup group;
  private final Process unshare;
  private final ProcessHandle first;
  private final String space;

  private Machine(String name, ControlGroup group, Process unshare, ProcessHandle first)
      throws IOException {
    this.name = name;
    this.group = group;
    this.unshare = unshare;
    this.first = first;
    this.space = Files.readSymbolicLink(space(first.pid())).toString();
  }

  /** Why there can be none here; empty when there can. */
  static Optional<String> missing() {
    if (!"root".equals(System.getProperty("user.name"))) {
      return Optional.of("namespaces need root");
    }
    for (String program : List.of("ip", "unshare", "nsenter", "setsid")) {
      if (!Exec.has(program)) {
        return Optional.of(
            program + " is not installed; it is in Debian's packages iproute2 and util-linux");
      }
    }
    try {
      Exec.run(20, List.of("unshare", "--pid", "--fork", "--mount", "--net", "true"));
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("this system permits no namespaces: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  /**
   * Boots one, with no network.
   *
   * @param folder its loop devices are of files in it
   * @throws IOException when it cannot be made; nothing of it is left then
   */
  static Machine boot(String name, Path folder) throws IOException {
    ControlGroup group = ControlGroup.make(name);
    List<String> command =
        new ArrayList<>(
            List.of("unshare", "--pid", "--fork", "--kill-child", "--mount-proc", "--mount"));
    command.addAll(List.of("--net", "--ipc", "--uts", "/bin/sh", "-c", INIT, "sh", name));
    command.addAll(List.of(group.folder(), group.root(), folder.toString()));
    Process unshare = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(unshare.getInputStream(), StandardCharsets.UTF_8));
      String line = lines.readLine();
      if (!"ready".equals(line)) {
        throw new IOException("machine " + name + " did not come up: " + line);
      }
      ProcessHandle first = unshare.children().findFirst().orElseThrow();
      return new Machine(name, group, unshare, first);
    } catch (IOException | RuntimeException e) {
      unshare.destroyForcibly();
      group.remove();
      throw e;
    }
  }

  String name() {
    return name;
  }

  /** Its first process, as this machine counts them; for {@code ip link ... netns}. */
  long pid() {
    return first.pid();
  }

  /** A command that runs in it. */
  List<String> inside(List<String> command) {
    return entering(List.of("-m", "-p", "-i", "-u", "-n"), command);
  }

  /** A command that runs outside, with its network. Signals reach the program itself. */
  List<String> network(List<String> command) {
    return entering(List.of("-n"), command);
  }

  private List<String> entering(List<String> what, List<String> command) {
    List<String> whole = new ArrayList<>(List.of("nsenter", "-t", Long.toString(first.pid())));
    whole.addAll(what);
    whole.add("--");
    whole.addAll(command);
    return whole;
  }

  /** Runs a program in it to its end, and answers what it printed. */
  String run(List<String> command) throws IOException, InterruptedException {
    return Exec.run(ANSWER_SECONDS, inside(command));
  }

  /** Starts a program that runs on by itself. */
  void start(List<String> command, Path log) throws IOException, InterruptedException {
    List<String> whole = new ArrayList<>(List.of("/bin/sh", "-c", START, "sh", log.toString()));
    whole.addAll(command);
    run(whole);
  }

  /** Its processes of a program's name. */
  List<ProcessHandle> processes(String program) {
    List<ProcessHandle> found = new ArrayList<>();
    for (long pid : named(program)) {
      try {
        if (Files.readSymbolicLink(space(pid)).toString().equals(space)) {
          ProcessHandle.of(pid).ifPresent(found::add);
        }
      } catch (IOException e) {
        // It has ended.
      }
    }
    return found;
  }

  private static Path space(long pid) {
    return Path.of("/proc", Long.toString(pid), "ns", "pid");
  }

  /** On this machine and all in it. */
  private static List<Long> named(String program) {
    List<Long> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(Path.of("/proc"), "[1-9]*")) {
      for (Path entry : entries) {
        if (program.equals(text(entry.resolve("comm")).strip())) {
          found.add(Long.parseLong(entry.getFileName().toString()));
        }
      }
    } catch (IOException e) {
      throw new IllegalStateException("/proc cannot be read", e);
    }
    return found;
  }

  /** The arguments of a process, each followed by a zero byte; empty when it has ended. */
  static String arguments(ProcessHandle process) {
    return text(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
  }

  private static String text(Path file) {
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return "";
    }
  }

  /** Waits until nothing of it is left, once it was killed. */
  void awaitDeath() throws InterruptedException {
    unshare.waitFor();
  }

  /** Switches it off at once. */
  @Override
  public void close() throws IOException {
    first.destroyForcibly();
    unshare.onExit().join();
    unshare.getInputStream().close();
    group.remove();
  }
}
