package io.mgtm.ha.kit;

import io.mgtm.ha.kit.Processes.Proc;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** How the agent of a volume's copy is started, and whether one runs that was started otherwise. */
final class VolumeCommand {
  static final String ASYNC = "async";

  /** A copy has noticed that the primary's machine is dead before that one's lease is over. */
  static final String PATH_TIMEOUT_MS = "3000";

  private static final String START = "start";
  private static final String NAME = "--name";

  /** Only creates; so it is left out where there is a copy. */
  private static final String SIZE = "--size";

  private final KitContext context;

  VolumeCommand(KitContext context) {
    this.context = context;
  }

  static Path meta(KitContext context) {
    String file = context.parameters().get("file");
    return Path.of(context.parameters().getOrDefault("meta", file + ".meta"));
  }

  /** By node, where its copy is reached; this node's among them. */
  static Map<String, String> copies(KitContext context) throws KitException {
    Map<String, String> copies = new LinkedHashMap<>();
    String given = context.parameters().get("copies");
    for (String one : given.split(",", -1)) {
      int equals = one.indexOf('=');
      if (equals < 1) {
        throw new KitException(
            "copies is \"%s\", expected NODE=HOST:PORT, separated by commas".formatted(given));
      }
      copies.put(one.substring(0, equals).strip(), one.substring(equals + 1).strip());
    }
    if (!copies.containsKey(context.node())) {
      throw new KitException(
          "copies is \"%s\", and does not say where the copy of %s is reached"
              .formatted(given, context.node()));
    }
    return copies;
  }

  /** All of it, with the program. Asks whether an archive of its classes is there. */
  List<String> whole() throws KitException, InterruptedException {
    List<String> command =
        new ArrayList<>(Jars.command(context, "mgtm-volume.jar", "replication/block"));
    List<String> arguments = arguments();
    command.addAll(arguments);
    note(arguments);
    return command;
  }

  /** From {@code start} on. */
  List<String> arguments() throws KitException {
    Map<String, String> given = context.parameters();
    List<String> command = new ArrayList<>();
    command.addAll(List.of(START, NAME, given.get("volume"), "--file", given.get("file")));
    Map<String, String> copies = copies(context);
    command.addAll(List.of("--listen", given.get("listen")));
    command.addAll(List.of("--receive", copies.remove(context.node())));
    for (String replica : copies.values()) {
      command.addAll(List.of("--replica", replica));
    }
    List<String> modes =
        Arrays.stream(given.getOrDefault("mode", "sync").split(",", -1))
            .map(String::strip)
            .toList();
    modes.forEach(mode -> command.addAll(List.of("--mode", mode)));
    if (!modes.stream().allMatch(ASYNC::equals)) {
      command.add("--fence");
    }
    option(command, "--path-timeout-ms", given.getOrDefault("pathTimeoutMs", PATH_TIMEOUT_MS));
    option(command, "--link-key", given.get("linkKey"));
    option(command, "--meta", given.get("meta"));
    boolean exists = Files.exists(meta(context).resolve("volume.json"));
    option(command, SIZE, exists ? null : given.get("size"));
    command.addAll(Words.of(given.getOrDefault("options", "")));
    return command;
  }

  private static void option(List<String> command, String option, String value) {
    if (value != null) {
      command.addAll(List.of(option, value));
    }
  }

  /**
   * Whether an agent of this resource runs that was started with other arguments. One that somebody
   * has started by hand is left as it is.
   */
  boolean isOutrun() throws KitException {
    List<String> wanted = arguments();
    if (differ(noted(), wanted)) {
      for (Proc one : new Daemon(context).processes()) {
        List<String> runs = fromStart(one.arguments());
        if (!runs.isEmpty() && differ(runs, wanted)) {
          return true;
        }
        if (!runs.isEmpty()) {
          note(wanted);
        }
      }
    }
    return false;
  }

  /** The agent's own arguments among those of a process; none where it is another program. */
  static List<String> fromStart(List<String> arguments) {
    for (int i = 0; i < arguments.size() - 1; i++) {
      if (arguments.get(i).equals(START) && arguments.get(i + 1).equals(NAME)) {
        return arguments.subList(i, arguments.size());
      }
    }
    return List.of();
  }

  /** Whether an agent with the one would be another than with the other. */
  static boolean differ(List<String> one, List<String> other) {
    return !withoutSize(one).equals(withoutSize(other));
  }

  private static List<String> withoutSize(List<String> arguments) {
    List<String> kept = new ArrayList<>(arguments);
    int size = kept.indexOf(SIZE);
    if (size >= 0) {
      kept.subList(size, Math.min(size + 2, kept.size())).clear();
    }
    return kept;
  }

  // What was found last saves looking through all processes at each check.

  private Path noteFile() {
    return context.runtime().resolve("arguments");
  }

  private void note(List<String> arguments) throws KitException {
    try {
      Files.createDirectories(context.runtime());
      Files.writeString(noteFile(), String.join("\n", arguments));
    } catch (IOException e) {
      throw new KitException(noteFile() + " cannot be written: " + e.getMessage(), e);
    }
  }

  private List<String> noted() {
    try {
      return Files.readString(noteFile()).lines().toList();
    } catch (IOException e) {
      return List.of();
    }
  }
}
