package io.mgtm.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The picture of the modules in docs/architecture.md is what their sources import. */
class ModulesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern ARROW = Pattern.compile("^ +(\\S+) --> (\\S+)$", Pattern.MULTILINE);
  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?(io\\.mgtm\\.[a-z0-9_.]+)\\.[A-Z]", Pattern.MULTILINE);

  private static Map<String, Set<String>> picture() throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (MatchResult arrow : ARROW.matcher(page).results().toList()) {
      arrows.computeIfAbsent(arrow.group(1), from -> new TreeSet<>()).add(arrow.group(2));
      arrows.computeIfAbsent(arrow.group(2), from -> new TreeSet<>());
    }
    return arrows;
  }

  private static Path sources(String module) {
    Path folder = ROOT.resolve(module);
    return (Files.isDirectory(folder) ? folder : ROOT.resolve("replication").resolve(module))
        .resolve("src/main/java");
  }

  private static List<Path> files(String module) throws IOException {
    try (Stream<Path> all = Files.walk(sources(module))) {
      return all.filter(file -> file.toString().endsWith(".java")).toList();
    }
  }

  /** The modules of whose packages each module imports something. */
  private static Map<String, Set<String>> imports(Set<String> modules) throws IOException {
    Map<String, String> moduleOf = new TreeMap<>();
    for (String module : modules) {
      for (Path file : files(module)) {
        Path folder = sources(module).relativize(file.getParent());
        moduleOf.put(folder.toString().replace('/', '.'), module);
      }
    }
    Map<String, Set<String>> imports = new TreeMap<>();
    for (String module : modules) {
      Set<String> used =
          files(module).stream()
              .flatMap(file -> IMPORT.matcher(read(file)).results())
              .map(found -> moduleOf.getOrDefault(found.group(1), found.group(1)))
              .collect(Collectors.toCollection(TreeSet::new));
      used.remove(module);
      imports.put(module, used);
    }
    return imports;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> reached(String from, Map<String, Set<String>> arrows) {
    Set<String> reached = new HashSet<>();
    List<String> next = new ArrayList<>(arrows.get(from));
    while (!next.isEmpty()) {
      String module = next.remove(next.size() - 1);
      if (reached.add(module)) {
        next.addAll(arrows.get(module));
      }
    }
    return reached;
  }

  @Test
  void pictureIsWhatTheSourcesImport() throws IOException {
    Map<String, Set<String>> picture = picture();
    Map<String, Set<String>> imports = imports(picture.keySet());
    assertThat(picture).as("modules in the picture").hasSizeGreaterThan(5);
    picture.forEach(
        (module, arrows) -> {
          assertThat(imports.get(module)).as("arrows from %s", module).containsAll(arrows);
          assertThat(reached(module, picture))
              .as("what is reached from %s", module)
              .containsAll(imports.get(module))
              .as("a circle")
              .doesNotContain(module);
        });
  }
}
