package io.mgtm.ha.kit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A program that is to be run, and with what.
 *
 * @param environment all that it is given, beside {@code PATH} and {@code LC_ALL} where these are
 *     not in it
 * @param folder where it works
 * @param deadlineMs so long it may take
 * @param keptBytes so much of the beginning of what it prints is kept, and as much of the end; with
 *     0 it prints nowhere, and nothing of it needs a file
 * @param notes the folder where it is noted while it runs, see {@link Programs#endFormer}; null for
 *     nowhere
 * @param input what it reads, 16 KiB at most; never shown
 */
public record Program(
    List<String> command,
    Map<String, String> environment,
    Path folder,
    long deadlineMs,
    int keptBytes,
    Path notes,
    String input) {
  private static final int KEPT_BYTES = 1024;

  /** With the user's own group, whatever that is called. */
  private static final String AS_USER =
      "u=$1; shift; g=$(id -g -- \"$u\") &&"
          + " exec setpriv --reuid \"$u\" --regid \"$g\" --init-groups -- \"$@\"";

  /** Makes it immutable. */
  public Program {
    command = List.copyOf(command);
    environment = Map.copyOf(environment);
  }

  /** Without input. */
  public Program(
      List<String> command,
      Map<String, String> environment,
      Path folder,
      long deadlineMs,
      int keptBytes,
      Path notes) {
    this(command, environment, folder, deadlineMs, keptBytes, notes, "");
  }

  /** By its arguments. */
  static Program of(Deadline deadline, String... command) {
    return of(deadline, Arrays.asList(command));
  }

  static Program of(Deadline deadline, List<String> command) {
    return new Program(
        command, Map.of(), Path.of("/"), deadline.leftMs(), KEPT_BYTES, deadline.notes());
  }

  /** By the shell. */
  static Program shell(Deadline deadline, String script, String... arguments) {
    List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", script, "sh"));
    command.addAll(List.of(arguments));
    return of(deadline, command);
  }

  Program with(Map<String, String> more) {
    Map<String, String> merged = new LinkedHashMap<>(environment);
    merged.putAll(more);
    return new Program(command, merged, folder, deadlineMs, keptBytes, notes, input);
  }

  /** With this before its command: a program that runs another. */
  Program by(List<String> runner) {
    List<String> whole = new ArrayList<>(runner);
    whole.addAll(command);
    return new Program(whole, environment, folder, deadlineMs, keptBytes, notes, input);
  }

  /** As another user, if it is another. */
  Program as(String user) {
    return by(asUser(user));
  }

  /** What goes before the command of a program that runs as another user; nothing for the same. */
  static List<String> asUser(String user) {
    return user.isEmpty() || user.equals(System.getProperty("user.name"))
        ? List.of()
        : List.of("/bin/sh", "-c", AS_USER, "sh", user);
  }

  /** In a resource's control group, with all that it starts. */
  Program joining(KitContext context) {
    return new Program(
        Cgroup.joining(context, command), environment, folder, deadlineMs, keptBytes, notes, input);
  }

  Program in(Path other) {
    return new Program(command, environment, other, deadlineMs, keptBytes, notes, input);
  }

  Program notedIn(Path where) {
    return new Program(command, environment, folder, deadlineMs, keptBytes, where, input);
  }

  Program keeping(int bytes) {
    return new Program(command, environment, folder, deadlineMs, bytes, notes, input);
  }

  Program reading(String text) {
    return new Program(command, environment, folder, deadlineMs, keptBytes, notes, text);
  }

  /** For an error's sentence, without its input. */
  @Override
  public String toString() {
    int user = command.indexOf(AS_USER);
    return user < 0
        ? String.join(" ", command)
        : "as %s: %s"
            .formatted(
                command.get(user + 2), String.join(" ", command.subList(user + 3, command.size())));
  }
}
