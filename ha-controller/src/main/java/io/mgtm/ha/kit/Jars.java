package io.mgtm.ha.kit;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Other programs of mgtm, which lie beside this one. */
final class Jars {
  private static final Logger log = LoggerFactory.getLogger(Jars.class);

  /** Of a call's time, the most that asking for an archive may take. */
  private static final double ARCHIVE = 0.1;

  /** A server that goes on when a thread has found no memory is not one that can be trusted. */
  private static final String ENDS_WITHOUT_MEMORY = "-XX:+ExitOnOutOfMemoryError";

  private Jars() {}

  /**
   * A command that runs one, with the archive of its classes where there is one: it takes away half
   * of the work of a start.
   *
   * @param name such as {@code mgtm-volume.jar}
   * @param module its folder where it was built, such as {@code replication/block}
   */
  static List<String> command(KitContext context, String name, String module)
      throws KitException, InterruptedException {
    String options = context.parameters().getOrDefault("javaOptions", "-XX:+UseSerialGC");
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    Path jar = path(context, name, module);
    List<String> command = new ArrayList<>(List.of(java, ENDS_WITHOUT_MEMORY));
    command.addAll(Words.of(options));
    command.addAll(archive(context, java, jar));
    command.addAll(List.of("-jar", jar.toString()));
    return command;
  }

  /** None is made: what has failed is waited for. */
  private static List<String> archive(KitContext context, String java, Path jar)
      throws InterruptedException {
    Optional<Path> tool =
        candidates(jar.getParent(), "class-archive", "config").stream()
            .filter(Files::isExecutable)
            .findFirst();
    if (tool.isEmpty()) {
      return List.of();
    }
    Deadline deadline = Deadline.of(context).part(ARCHIVE);
    try {
      String told =
          Programs.run(Program.of(deadline, tool.get().toString(), "--made", java, jar.toString()))
              .succeeded()
              .told();
      return told.lines().toList();
    } catch (KitException e) {
      log.warn("{} starts without an archive of its classes: {}", jar, e.getMessage());
      return List.of();
    }
  }

  /** Beside the program, or where it was built. */
  private static List<Path> candidates(Path here, String name, String folder) {
    List<Path> candidates = new ArrayList<>(List.of(here.resolve(name)));
    for (Path above = here; above != null; above = above.getParent()) {
      candidates.add(above.resolve(folder).resolve(name));
    }
    return candidates;
  }

  private static Path path(KitContext context, String name, String module) throws KitException {
    String given = context.parameters().get("jar");
    List<Path> candidates =
        given == null ? candidates(here(), name, module + "/target") : List.of(Path.of(given));
    for (Path candidate : candidates) {
      if (Files.isRegularFile(candidate)) {
        return candidate.toAbsolutePath();
      }
    }
    throw new KitException(
        "resource %s: there is no %s; name it by the parameter jar"
            .formatted(context.resource(), candidates.get(0)));
  }

  private static Path here() {
    try {
      return Path.of(Jars.class.getProtectionDomain().getCodeSource().getLocation().toURI())
          .getParent();
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }
}
