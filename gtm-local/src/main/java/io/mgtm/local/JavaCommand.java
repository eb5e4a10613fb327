package io.mgtm.local;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Command lines of Java processes, of the kind of JVM that this one is. */
public final class JavaCommand {
  private JavaCommand() {}

  /** The begin of one, up to what is run; more can be added. */
  public static List<String> of(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    return command;
  }

  /** Options that were given as one text. */
  public static List<String> options(String text) {
    return text.isBlank() ? List.of() : List.of(text.strip().split(" +"));
  }

  /**
   * A program's jar, where the launcher says that it is.
   *
   * @param property by which the launcher says so
   * @param name where it is without the launcher
   * @throws IOException when it is not there
   */
  public static Path jar(String property, String name) throws IOException {
    Path jar = Path.of(System.getProperty(property, name)).toAbsolutePath().normalize();
    if (!Files.exists(jar)) {
      throw new IOException(jar + " is missing; run this by ./mgtm, which builds it");
    }
    return jar;
  }
}
