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
import java.util.function.Function;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The pictures of the modules, and of the rooms of a node and of a query replicator, in
 * docs/architecture.md are what is imported.
 */
class ModulesTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern PICTURE =
      Pattern.compile("^```mermaid$(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern ARROW = Pattern.compile("^ +(\\S+) --> (\\S+)$", Pattern.MULTILINE);
  private static final Pattern PACKAGE = Pattern.compile("^package (\\S+);$", Pattern.MULTILINE);
  private static final Pattern IMPORT =
      Pattern.compile("^import (?:static )?(io\\.mgtm\\.[a-z0-9_.]+)\\.[A-Z]", Pattern.MULTILINE);

  private static Map<String, Set<String>> picture(int number) throws IOException {
    String page = Files.readString(ROOT.resolve("docs/architecture.md"));
    String drawn = PICTURE.matcher(page).results().toList().get(number).group(1);
    Map<String, Set<String>> arrows = new TreeMap<>();
    for (MatchResult arrow : ARROW.matcher(drawn).results().toList()) {
      arrows.computeIfAbsent(arrow.group(1), from -> new TreeSet<>()).add(arrow.group(2));
      arrows.computeIfAbsent(arrow.group(2), from -> new TreeSet<>());
    }
    return arrows;
  }

  private static List<String> moduleSources(String module) {
    Path folder = ROOT.resolve(module);
    return read(
        (Files.isDirectory(folder) ? folder : ROOT.resolve("replication").resolve(module))
            .resolve("src/main/java"),
        Integer.MAX_VALUE);
  }

  private static List<String> roomSources(String room) {
    Path node = ROOT.resolve("gtm-core/src/main/java/io/mgtm/gtm/node");
    return room.equals("node") ? read(node, 1) : read(node.resolve(room), 1);
  }

  private static List<String> read(Path folder, int depth) {
    try (Stream<Path> all = Files.walk(folder, depth)) {
      return all.filter(file -> file.toString().endsWith(".java")).map(ModulesTest::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> found(Pattern pattern, List<String> sources) {
    return sources.stream()
        .flatMap(source -> pattern.matcher(source).results())
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The parts of whose packages each part imports something. */
  private static Map<String, Set<String>> imports(
      Set<String> parts, Function<String, List<String>> sourcesOf) {
    Map<String, String> partOf = new TreeMap<>();
    for (String part : parts) {
      found(PACKAGE, sourcesOf.apply(part)).forEach(name -> partOf.put(name, part));
    }
    Map<String, Set<String>> imports = new TreeMap<>();
    for (String part : parts) {
      Set<String> used =
          found(IMPORT, sourcesOf.apply(part)).stream()
              .map(name -> partOf.getOrDefault(name, name))
              .collect(Collectors.toCollection(TreeSet::new));
      used.remove(part);
      imports.put(part, used);
    }
    return imports;
  }

  private static Set<String> reached(String from, Map<String, Set<String>> arrows) {
    Set<String> reached = new HashSet<>();
    List<String> next = new ArrayList<>(arrows.get(from));
    while (!next.isEmpty()) {
      String part = next.remove(next.size() - 1);
      if (reached.add(part)) {
        next.addAll(arrows.get(part));
      }
    }
    return reached;
  }

  private static void compare(Map<String, Set<String>> picture, Map<String, Set<String>> imports) {
    assertThat(picture).as("parts of the picture").hasSizeGreaterThan(5);
    picture.forEach(
        (part, arrows) -> {
          assertThat(imports.get(part)).as("arrows from %s", part).containsAll(arrows);
          assertThat(reached(part, picture))
              .as("what is reached from %s", part)
              .containsAll(imports.get(part))
              .as("a circle")
              .doesNotContain(part);
        });
  }

  @Test
  void modulesAreWhatTheSourcesImport() throws IOException {
    Map<String, Set<String>> picture = picture(0);
    compare(picture, imports(picture.keySet(), ModulesTest::moduleSources));
  }

  @Test
  void roomsOfANodeAreWhatTheSourcesImport() throws IOException {
    Map<String, Set<String>> picture = picture(1);
    Map<String, Set<String>> imports = imports(picture.keySet(), ModulesTest::roomSources);
    imports.values().forEach(used -> used.retainAll(picture.keySet()));
    compare(picture, imports);
    try (Stream<Path> folders =
        Files.list(ROOT.resolve("gtm-core/src/main/java/io/mgtm/gtm/node"))) {
      assertThat(picture.keySet())
          .containsAll(
              folders.filter(Files::isDirectory).map(f -> f.getFileName().toString()).toList());
    }
  }

  @Test
  void packagesOfAQueryReplicatorAreWhatTheSourcesImport() throws IOException {
    Path query = ROOT.resolve("replication/query/src/main/java/io/mgtm/query");
    Map<String, Set<String>> picture = picture(2);
    Map<String, Set<String>> imports =
        imports(picture.keySet(), room -> read(query.resolve(room), 1));
    imports.values().forEach(used -> used.retainAll(picture.keySet()));
    compare(picture, imports);
  }
}
