package io.mgtm.site;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.mgtm.site.Navigation.Entry;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/** The documentation as HTML: what leads where, and how a page looks. */
final class Site {
  private static final String FIRST = "README.md";
  private static final Pattern ELSEWHERE = Pattern.compile("[a-z]+:.*");
  private static final Pattern FIELD = Pattern.compile("\\{([a-z]+)}");
  private static final String TEMPLATE = resource("page.html");
  private static final List<String> FILES = List.of("style.css", "search.js");

  /** What is searched, written last: a folder that has it is a site's. */
  private static final String WORDS = "words.js";

  static final String LUNR = "/META-INF/resources/webjars/lunr/2.3.9/lunr.min.js";

  private final Path root;
  private final Map<String, Page> pages = new LinkedHashMap<>();
  private final Set<String> files = new TreeSet<>();
  private final List<String> faults = new ArrayList<>();
  private final Navigation navigation;

  /**
   * Parses the pages, and follows each link.
   *
   * @param root the folder with README.md and docs
   * @param generated pages that are no files, by the titles that lead to them
   */
  Site(Path root, Map<String, Page> generated) throws IOException {
    this.root = root;
    for (Path file : sources()) {
      add(new Page(name(file), Files.readString(file)));
    }
    generated.values().forEach(this::add);
    navigation = new Navigation(pages.get(FIRST), this::targetPage);
    navigation.add(
        "Reference",
        generated.entrySet().stream()
            .map(entry -> new Entry(entry.getKey(), entry.getValue().path()))
            .toList());
    pages.values().forEach(page -> page.links().forEach(link -> follow(page, link)));
  }

  private void add(Page page) {
    pages.put(page.path(), page);
  }

  private List<Path> sources() throws IOException {
    try (Stream<Path> top = Files.list(root);
        Stream<Path> docs = Files.walk(root.resolve("docs"))) {
      return Stream.concat(top, docs)
          .filter(file -> file.toString().endsWith(".md"))
          .sorted()
          .toList();
    }
  }

  /** Why links lead nowhere, a line each; empty when all lead somewhere. */
  List<String> faults() {
    return faults;
  }

  Map<String, Page> pages() {
    return pages;
  }

  private String name(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  /** The path of what a link of a page leads to, without its anchor. */
  private String target(Page page, String destination) {
    String name = URLDecoder.decode(destination.split("#", 2)[0], StandardCharsets.UTF_8);
    if (name.isEmpty()) {
      return page.path();
    }
    String target = name(root.resolve(page.path()).resolveSibling(name).normalize());
    return pages.containsKey(target + "/" + FIRST) ? target + "/" + FIRST : target;
  }

  private String targetPage(Page page, String destination) {
    String target = target(page, destination);
    return pages.containsKey(target) ? target : null;
  }

  /** Makes a link of a file one of the site; notes the fault when there is nothing. */
  private void follow(Page page, Node node) {
    String destination =
        node instanceof Link link ? link.getDestination() : ((Image) node).getDestination();
    if (ELSEWHERE.matcher(destination).matches()) {
      return;
    }
    String[] parts = destination.split("#", 2);
    String target = target(page, destination);
    Page found = pages.get(target);
    String output;
    if (found != null) {
      output = found.output();
      if (parts.length == 2 && !found.anchors().contains(parts[1])) {
        fault(page, destination, target + " has no heading " + parts[1]);
      }
    } else {
      output = copied(target);
      if (target.startsWith("..") || !Files.isRegularFile(root.resolve(target))) {
        fault(page, destination, "there is no file " + target);
      } else {
        files.add(target);
      }
    }
    String there = relative(page.output(), output) + (parts.length == 2 ? "#" + parts[1] : "");
    if (node instanceof Link link) {
      link.setDestination(there);
    } else {
      ((Image) node).setDestination(there);
    }
  }

  private void fault(Page page, String destination, String why) {
    faults.add("%s: %s: %s".formatted(page.path(), destination, why));
  }

  /** A browser shows a file without an ending as text when it has one. */
  private static String copied(String file) {
    return file.substring(file.lastIndexOf('/') + 1).contains(".") ? file : file + ".txt";
  }

  private static String relative(String from, String to) {
    return "../".repeat((int) from.chars().filter(c -> c == '/').count()) + to;
  }

  /**
   * Writes all into a folder that is not there, is empty, or has a site.
   *
   * @throws IOException when it has something else, which is left alone
   */
  void write(Path out) throws IOException {
    if (Files.exists(out) && !Files.exists(out.resolve(WORDS)) && !isEmpty(out)) {
      throw new IOException(
          out + " is a folder with other files, which a site could overwrite; name an empty one");
    }
    for (Page page : pages.values()) {
      write(out.resolve(page.output()), html(page));
    }
    for (String file : files) {
      Path copy = out.resolve(copied(file));
      Files.createDirectories(copy.getParent());
      Files.copy(root.resolve(file), copy, StandardCopyOption.REPLACE_EXISTING);
    }
    for (String file : FILES) {
      write(out.resolve(file), resource(file));
    }
    write(out.resolve("lunr.js"), resource(LUNR));
    write(out.resolve(WORDS), words());
  }

  private static boolean isEmpty(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.findAny().isEmpty();
    }
  }

  /** In place of a file or a link of before; what a link names is not written. */
  private static void write(Path file, String text) throws IOException {
    Files.createDirectories(file.toAbsolutePath().getParent());
    Files.deleteIfExists(file);
    Files.writeString(file, text);
  }

  /** What is searched: each section's page, title and words. */
  String words() throws IOException {
    List<Map<String, String>> all = new ArrayList<>();
    for (Page page : pages.values()) {
      for (Page.Section section : page.sections()) {
        all.add(
            Map.of(
                "url", page.output() + "#" + section.anchor(),
                "page", page.title(),
                "title", section.title(),
                "text", section.text()));
      }
    }
    ObjectMapper json =
        new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);
    return "var mgtmSections = " + json.writeValueAsString(all) + ";\n";
  }

  /** A page's whole HTML. */
  String html(Page page) {
    Map<String, String> fields =
        Map.of(
            "title", inHtml(page.title()),
            "root", relative(page.output(), ""),
            "first", relative(page.output(), pages.get(FIRST).output()),
            "navigation", navigation(page),
            "body", page.html());
    return FIELD
        .matcher(TEMPLATE)
        .replaceAll(field -> Matcher.quoteReplacement(fields.get(field.group(1))));
  }

  private String navigation(Page shown) {
    StringBuilder html = new StringBuilder();
    navigation
        .groups()
        .forEach(
            (group, entries) ->
                html.append("<h2>")
                    .append(inHtml(group))
                    .append("</h2>\n<ul>\n")
                    .append(
                        entries.stream()
                            .map(entry -> item(shown, entry))
                            .collect(Collectors.joining()))
                    .append("</ul>\n"));
    return html.toString();
  }

  /** A line of the navigation; below the page that is shown, its parts. */
  private String item(Page shown, Entry entry) {
    Page page = pages.get(entry.page());
    String parts =
        page != shown
            ? ""
            : page.sections().stream()
                .filter(section -> section.level() == 2)
                .map(
                    section ->
                        "<li><a href=\"#%s\">%s</a></li>\n"
                            .formatted(section.anchor(), inHtml(section.title())))
                .collect(Collectors.joining("", "<ul>\n", "</ul>\n"))
                .replace("<ul>\n</ul>\n", "");
    return "<li><a href=\"%s\"%s>%s</a>%s</li>\n"
        .formatted(
            relative(shown.output(), page.output()),
            page == shown ? " aria-current=\"page\"" : "",
            inHtml(entry.title()),
            parts);
  }

  private static String inHtml(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  /** A text beside this class. */
  static String resource(String name) {
    try (InputStream in = Site.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(name, e);
    }
  }
}
