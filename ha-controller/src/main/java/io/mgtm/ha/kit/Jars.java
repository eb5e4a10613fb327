package io.mgtm.ha.kit;

import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Other programs of mgtm, which lie beside this one. */
final class Jars {
  private Jars() {}

  /**
   * A command that runs one.
   *
   * @param name such as {@code mgtm-volume.jar}
   * @param module its folder where it was built, such as {@code replication/block}
   */
  static List<String> command(KitContext context, String name, String module) throws KitException {
    String options = context.parameters().getOrDefault("javaOptions", "-XX:+UseSerialGC");
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(Words.of(options));
    command.addAll(List.of("-jar", path(context, name, module).toString()));
    return command;
  }

  private static Path path(KitContext context, String name, String module) throws KitException {
    String given = context.parameters().get("jar");
    List<Path> candidates = new ArrayList<>();
    if (given != null) {
      candidates.add(Path.of(given));
    } else {
      Path here = here();
      candidates.add(here.resolve(name));
      for (Path above = here; above != null; above = above.getParent()) {
        candidates.add(above.resolve(module).resolve("target").resolve(name));
      }
    }
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
