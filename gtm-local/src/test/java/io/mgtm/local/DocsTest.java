package io.mgtm.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Each link of README and docs to another page leads to a file that is there, and to a heading. */
class DocsTest {
  private static final Path ROOT = Path.of("").toAbsolutePath().getParent();
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern FENCED = Pattern.compile("(?ms)^ *```.*?^ *```$");
  private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.*?) *$");
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");

  private static List<Path> pages() throws IOException {
    try (Stream<Path> top = Files.list(ROOT);
        Stream<Path> docs = Files.walk(ROOT.resolve("docs"))) {
      return Stream.concat(top, docs).filter(file -> file.toString().endsWith(".md")).toList();
    }
  }

  private static String withoutBlocks(Path page) throws IOException {
    return FENCED.matcher(Files.readString(page)).replaceAll("");
  }

  /** As the sites that show Markdown name a heading: words in small letters, joined by hyphens. */
  private static Set<String> anchors(Path page) throws IOException {
    Map<String, Integer> seen = new HashMap<>();
    Set<String> anchors = new HashSet<>();
    HEADING
        .matcher(withoutBlocks(page))
        .results()
        .map(heading -> heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1"))
        .map(text -> text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N} _-]", ""))
        .map(text -> text.replace(' ', '-'))
        .forEach(
            anchor -> {
              int before = seen.merge(anchor, 1, Integer::sum) - 1;
              anchors.add(before == 0 ? anchor : anchor + "-" + before);
            });
    return anchors;
  }

  /** Why a link of a page leads nowhere; null when it leads somewhere. */
  private static String fault(Path page, String link) throws IOException {
    String[] parts = link.split("#", 2);
    String name = URLDecoder.decode(parts[0], StandardCharsets.UTF_8);
    Path target = name.isEmpty() ? page : page.resolveSibling(name).normalize();
    if (!Files.exists(target)) {
      return "there is no " + ROOT.relativize(target);
    }
    boolean found = parts.length == 1 || anchors(target).contains(parts[1]);
    return found ? null : ROOT.relativize(target) + " has no heading " + parts[1];
  }

  @Test
  void linksLeadToFilesAndHeadings() throws IOException {
    List<String> faults = new ArrayList<>();
    int followed = 0;
    for (Path page : pages()) {
      String text = CODE.matcher(withoutBlocks(page)).replaceAll("");
      for (String link : LINK.matcher(text).results().map(found -> found.group(1)).toList()) {
        if (ELSEWHERE.matcher(link).matches()) {
          continue;
        }
        followed++;
        String fault = fault(page, link);
        if (fault != null) {
          faults.add("%s: %s: %s".formatted(ROOT.relativize(page), link, fault));
        }
      }
    }
    assertThat(faults).isEmpty();
    assertThat(followed).isGreaterThan(100);
  }
}
