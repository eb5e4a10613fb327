package io.mgtm.bench.ha;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The programs that clusters run, where the launcher says that they are.
 *
 * @param controller {@code mgtm-ha.jar}
 * @param volume {@code mgtm-volume.jar}
 */
record HaJars(Path controller, Path volume) {
  /** Options of JVMs that are many on one machine. */
  static final String JAVA_OPTIONS = "-XX:+UseSerialGC";

  /** Of controllers, as the launcher starts them; {@code otherwise} without the launcher. */
  static List<String> controllerOptions(String otherwise) {
    String options = System.getProperty("mgtm.haJavaOptions", otherwise).strip();
    return Arrays.asList(options.split(" +", -1));
  }

  static HaJars found() throws IOException {
    return new HaJars(jar("mgtm.haJar", "mgtm-ha.jar"), jar("mgtm.volumeJar", "mgtm-volume.jar"));
  }

  private static Path jar(String property, String name) throws IOException {
    Path jar = Path.of(System.getProperty(property, name)).toAbsolutePath().normalize();
    if (!Files.exists(jar)) {
      throw new IOException(jar + " is missing; run this by ./mgtm, which builds it");
    }
    return jar;
  }
}
