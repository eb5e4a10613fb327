package io.mgtm.site;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.mozilla.javascript.Context;
import org.mozilla.javascript.Scriptable;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/** The site of the pages as they are, and of pages with planted faults. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SiteTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private Path scratch;
  private Site site;
  private Path out;

  @BeforeAll
  void write(@TempDir Path folder) throws IOException {
    scratch = folder;
    site = new Site(ROOT, SiteMain.reference(ROOT));
    out = scratch.resolve("html");
    site.write(out);
  }

  private Site planted(String first, String other) throws IOException {
    Path root = Files.createTempDirectory(scratch, "pages");
    Files.createDirectory(root.resolve("docs"));
    Files.writeString(root.resolve("README.md"), first);
    Files.writeString(root.resolve("docs/other.md"), other);
    return new Site(root, Map.of());
  }

  private static Document parsed(Path file) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(Files.readString(file))));
  }

  private static Stream<String> values(Document page, String tag, String attribute) {
    NodeList found = page.getElementsByTagName(tag);
    return Stream.iterate(0, n -> n < found.getLength(), n -> n + 1)
        .map(n -> ((Element) found.item(n)).getAttribute(attribute))
        .filter(value -> !value.isEmpty());
  }

  @Test
  void othersFilesAreLeftAlone() throws IOException {
    Path others = Files.createDirectory(scratch.resolve("others"));
    Path index = Files.writeString(others.resolve("index.html"), "mine");
    assertThatThrownBy(() -> site.write(others))
        .isInstanceOf(IOException.class)
        .hasMessage(
            others
                + " is a folder with other files, which a site could overwrite; name an empty one");
    assertThat(index).hasContent("mine");
  }

  /** Written again, it goes not where a link leads. */
  @Test
  void linkIsReplaced() throws IOException {
    Path again = scratch.resolve("again");
    site.write(again);
    Path mine = Files.writeString(scratch.resolve("mine.css"), "mine");
    Path style = again.resolve("style.css");
    Files.delete(style);
    Files.createSymbolicLink(style, mine);
    site.write(again);
    assertThat(mine).hasContent("mine");
    assertThat(Files.isSymbolicLink(style)).isFalse();
  }

  @Test
  void noLinkOfAPageIsDead() {
    assertThat(site.faults()).isEmpty();
    assertThat(site.pages().values().stream().mapToLong(page -> page.links().size()).sum())
        .isGreaterThan(100);
  }

  @Test
  void deadLinksAreTold() throws IOException {
    Site planted =
        planted(
            "# A\n[b](docs/none.md), [c](docs/other.md#none), ![d](../x.png), [e](docs/other.md#b-c)",
            "# B `c`\n```\n[in code](none.md)\n```\n");
    assertThat(planted.faults())
        .containsExactly(
            "README.md: docs/none.md: there is no file docs/none.md",
            "README.md: docs/other.md#none: docs/other.md has no heading none",
            "README.md: ../x.png: there is no file ../x.png");
  }

  @Test
  void headingsHaveTheNamesThatForgesGiveThem() {
    Page page = new Page("p.md", "# A: b & c\n## The `x.y` of [z](u)\n## Same\n## Same\n");
    assertThat(page.anchors()).containsExactlyInAnyOrder("a-b--c", "the-xy-of-z", "same", "same-1");
  }

  /** From the first page, by links alone; each page is well formed and asks nothing of others. */
  @Test
  void eachPageIsReached() throws Exception {
    Set<String> seen = new HashSet<>();
    Deque<Path> next = new ArrayDeque<>(List.of(out.resolve("index.html")));
    while (!next.isEmpty()) {
      Path file = next.remove();
      if (!seen.add(out.relativize(file).toString())) {
        continue;
      }
      Document page = parsed(file);
      Stream.concat(values(page, "script", "src"), values(page, "img", "src"))
          .forEach(source -> assertThat(file.resolveSibling(source)).as("%s", file).exists());
      values(page, "a", "href")
          .filter(link -> !link.matches("[a-z]+:.*"))
          .forEach(
              link -> {
                Path target = file.resolveSibling(link.replaceFirst("#.*", "")).normalize();
                assertThat(target).as("%s of %s", link, file).exists();
                if (target.toString().endsWith(".html")) {
                  next.add(target);
                }
              });
    }
    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(
            site.pages().values().stream().map(Page::output).toList())
        .hasSizeGreaterThan(40);
  }

  @Test
  void navigationHasTheFourKinds() throws Exception {
    NodeList groups = parsed(out.resolve("docs/volume.html")).getElementsByTagName("h2");
    assertThat(List.of(0, 1, 2, 3))
        .extracting(n -> groups.item(n).getTextContent())
        .containsExactly("Tutorials", "How-to", "Reference", "Explanation");
  }

  @Test
  void searchFindsWhatBeginsSoInAllItsWords() throws IOException {
    Site planted =
        planted(
            "# First\nThe aardvark of --zebra-path-ms.\n## Second\nAn aardvark alone.\n", "# O\n");
    try (Context context = Context.enter()) {
      context.setInterpretedMode(true);
      Scriptable page = context.initStandardObjects();
      for (String script :
          List.of(
              Site.resource(Site.LUNR),
              planted.words(),
              "mgtmSections.unshift({title: 'Third', page: 'Fourth', text: 'A hermit alone.',"
                  + " url: 'docs/adr/1.html#third'});",
              Site.resource("search.js"))) {
        context.evaluateString(page, script, "script", 1, null);
      }
      assertThat(search(context, page, "aardvark")).isEqualTo("index.html#second index.html#first");
      assertThat(search(context, page, "aard zebra")).isEqualTo("index.html#first");
      assertThat(search(context, page, "--zebra-path-ms")).isEqualTo("index.html#first");
      assertThat(search(context, page, "the second")).isEqualTo("index.html#second");
      assertThat(search(context, page, "alone"))
          .as("the manual before a decision that says the same")
          .isEqualTo("index.html#second docs/adr/1.html#third");
      assertThat(search(context, page, "none")).isEmpty();
      assertThat(search(context, page, "the")).isEmpty();
    }
  }

  /** What is found, the best first. */
  private static String search(Context context, Scriptable page, String words) {
    page.put("wanted", page, words);
    String script = "mgtmSearch(wanted).map(function (s) { return s.url; }).join(' ')";
    return Context.toString(context.evaluateString(page, script, "test", 1, null));
  }
}
