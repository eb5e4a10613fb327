package io.mgtm.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** What the packages install, for the programs' own readers of it. Any thread. */
public final class Packaged {
  private static final Path ROOT = Path.of("packaging", "root");
  private static final String START = "ExecStart=/usr/bin/mgtm ";

  private Packaged() {}

  /** A file below {@code packaging/root}, such as {@code etc/mgtm/gtm.yaml}. */
  public static Path file(String name) {
    for (Path at = Path.of("").toAbsolutePath(); at != null; at = at.getParent()) {
      Path file = at.resolve(ROOT).resolve(name);
      if (Files.exists(file)) {
        return file;
      }
    }
    throw new IllegalStateException(ROOT.resolve(name) + " is not in any folder above this one");
  }

  /** The same text with what it has as examples: lines that begin with # and no blank after it. */
  public static String withExamples(String name) throws IOException {
    return Files.readAllLines(file(name)).stream()
        .map(line -> line.matches("#( {2,})?[-\\w].*") ? line.substring(1) : line)
        .collect(Collectors.joining("\n", "", "\n"));
  }

  /** What a unit of systemd gives a program to do: the words behind {@code mgtm PROGRAM}. */
  public static List<String> arguments(String unit) throws IOException {
    List<String> words =
        Files.readAllLines(file("systemd/" + unit)).stream()
            .filter(line -> line.startsWith(START))
            .map(line -> List.of(line.substring(START.length()).split(" ", -1)))
            .findFirst()
            .orElseThrow(() -> new IllegalStateException(unit + " has no line " + START));
    return words.subList(1, words.size());
  }
}
