package io.mgtm.bench.ha;

import io.mgtm.local.JavaCommand;
import java.io.IOException;
import java.nio.file.Path;
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
    return JavaCommand.options(System.getProperty("mgtm.haJavaOptions", otherwise));
  }

  static HaJars found() throws IOException {
    return new HaJars(
        JavaCommand.jar("mgtm.haJar", "mgtm-ha.jar"),
        JavaCommand.jar("mgtm.volumeJar", "mgtm-volume.jar"));
  }
}
