package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Processes.Proc;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A process that outlives the controller: in a session of its own, in its resource's control group
 * where there are any, with its output in a file. It is known by the folder that it works in and by
 * its program, which need no file that says its pid, and hold for what it forks too.
 */
public final class Daemon {
  private static final long LOG_BYTES_MAX = 16L << 20;
  private static final int TAIL_BYTES = 2_048;
  private static final double GRACE = 0.6;

  private static final String LOG = "exec >>\"$1\" 2>&1; shift; exec \"$@\"";

  private final KitContext context;
  private final Path folder;
  private final String program;

  /** What was started or seen here last; one that is ending works in no folder any more. */
  private List<Proc> seen = List.of();

  /**
   * Describes one.
   *
   * @param folder where it works
   * @param program its file's name, or empty when nothing else works there
   */
  public Daemon(KitContext context, Path folder, String program) {
    this.context = context;
    this.folder = Processes.real(folder);
    this.program = program;
  }

  /** One that works in its resource's own folder. */
  public Daemon(KitContext context) {
    this(context, context.runtime(), "");
  }

  /**
   * Its processes: what works where it does, also what was just started and is not that program
   * yet, and what was seen before and has not ended.
   */
  List<Proc> processes() {
    seen = Processes.all().stream().filter(this::isOurs).toList();
    return seen;
  }

  public boolean isRunning() {
    return !processes().isEmpty();
  }

  private boolean isOurs(Proc one) {
    return one.worksIn(folder, program) || seen.stream().anyMatch(one::isSame);
  }

  Path log() {
    return context.runtime().resolve(context.resource() + ".log");
  }

  /** What it printed last, as the end of a sentence. */
  public String said() {
    try {
      byte[] bytes = Files.readAllBytes(log());
      int from = Math.max(0, bytes.length - TAIL_BYTES);
      return Programs.said(new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8));
    } catch (IOException e) {
      return " and left no log at " + log();
    }
  }

  /** Begins it, and does not wait until it is ready. */
  public void start(List<String> command, Map<String, String> environment) throws KitException {
    List<String> whole = new ArrayList<>(List.of("setsid"));
    whole.addAll(joining(command));
    ProcessBuilder builder =
        new ProcessBuilder(whole)
            .directory(folder.toFile())
            .redirectInput(Redirect.from(Path.of("/dev/null").toFile()))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD);
    Programs.environment(builder, environment);
    try {
      seen = Processes.of(builder.start().pid()).stream().toList();
    } catch (IOException e) {
      throw new KitException(
          "%s cannot be started: %s".formatted(String.join(" ", command), e.getMessage()), e);
    }
  }

  /**
   * A command that is run in the resource's group and prints into its log, as does what it leaves
   * running. A log that has grown long is put aside.
   */
  List<String> joining(List<String> command) throws KitException {
    try {
      Files.createDirectories(context.runtime());
      if (Files.exists(log()) && Files.size(log()) > LOG_BYTES_MAX) {
        Path old = log().resolveSibling(log().getFileName() + ".1");
        Files.move(log(), old, StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new KitException(
          "%s cannot be made for %s: %s"
              .formatted(context.runtime(), context.resource(), e.getMessage()),
          e);
    }
    List<String> whole = new ArrayList<>(List.of("/bin/sh", "-c", LOG, "sh"));
    whole.add(log().toAbsolutePath().toString());
    whole.addAll(command);
    return Cgroup.joining(context, whole);
  }

  /** SIGTERM alone; whether none is left. */
  boolean end(Deadline deadline) throws KitException, InterruptedException {
    processes().forEach(one -> Processes.signal(one, false));
    return deadline.await(() -> !isRunning());
  }

  /** SIGTERM, and SIGKILL when that does not help; none is left when this returns. */
  void stop(Deadline deadline) throws KitException, InterruptedException {
    if (!end(deadline.part(GRACE))) {
      kill(deadline);
    }
    Cgroup.remove(context);
  }

  /** SIGKILL; none is left when this returns. */
  void kill(Deadline deadline) throws KitException, InterruptedException {
    if (!deadline.await(this::killed)) {
      throw new KitException(
          "%s: processes %s could not be killed; one that waits for a device ends with it"
              .formatted(
                  context.resource(),
                  String.join(
                      ", ", processes().stream().map(one -> Long.toString(one.pid())).toList())));
    }
  }

  private boolean killed() {
    seen = Processes.trees(this::isOurs);
    seen.forEach(one -> Processes.signal(one, true));
    return seen.isEmpty();
  }

  /** Lets go of its control group, unless a process is in it; whether it is gone. */
  public boolean removeGroup() {
    return Cgroup.remove(context);
  }

  /** What the watchdog does. */
  public List<GuardStep> guard() {
    List<GuardStep> steps = new ArrayList<>(Cgroup.guard(context));
    steps.add(new GuardStep.KillWorkingIn(folder.toString(), program));
    return steps;
  }
}
