package io.mgtm.site;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.ext.heading.anchor.IdGenerator;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/** A page of Markdown, parsed. Its headings have the ids that forges give them. */
final class Page {
  private static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
  private static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

  /**
   * What stands below a heading.
   *
   * @param anchor its id
   * @param text all words, of the heading too, divided by blanks
   */
  record Section(String anchor, int level, String title, String text) {}

  private final String path;
  private final Node document;
  private final IdentityHashMap<Node, String> ids = new IdentityHashMap<>();
  private final List<Section> sections = new ArrayList<>();

  /**
   * Parses a page.
   *
   * @param path of its file, from the top of the sources, as {@code docs/volume.md}
   */
  Page(String path, String markdown) {
    this.path = path;
    document = PARSER.parse(markdown);
    IdGenerator generator = IdGenerator.builder().build();
    for (Node block = document.getFirstChild(); block != null; block = block.getNext()) {
      String words = words(block);
      if (block instanceof Heading heading) {
        String title = words.strip().replaceAll(" +", " ");
        ids.put(heading, generator.generateId(literal(heading)));
        sections.add(new Section(ids.get(heading), heading.getLevel(), title, title));
      } else if (!sections.isEmpty()) {
        Section last = sections.remove(sections.size() - 1);
        sections.add(
            new Section(last.anchor(), last.level(), last.title(), last.text() + " " + words));
      }
    }
  }

  /** Plain words as Markdown of a page below {@code reference}; pages that they name are links. */
  static String plain(String words) {
    return words
        .replaceAll("([\\\\|<>*_`\\[\\]])", "\\\\$1")
        .replaceAll("docs/[a-z0-9/-]+\\.md(#[a-z-]+)?", "[$0](../$0)");
  }

  /** Where a page's HTML stands, from the top of the site. */
  static String output(String path) {
    return path.replaceFirst("(^|/)README\\.md$", "$1index.md").replaceFirst("\\.md$", ".html");
  }

  String path() {
    return path;
  }

  String output() {
    return output(path);
  }

  /** The words of its first heading. */
  String title() {
    return sections.isEmpty() ? path : sections.get(0).title();
  }

  List<Section> sections() {
    return sections;
  }

  Set<String> anchors() {
    return sections.stream().map(Section::anchor).collect(Collectors.toSet());
  }

  /** Its parts, from the top. */
  Node document() {
    return document;
  }

  /** Its links and pictures, in order. */
  List<Node> links() {
    List<Node> links = new ArrayList<>();
    document.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Link link) {
            links.add(link);
            visitChildren(link);
          }

          @Override
          public void visit(Image image) {
            links.add(image);
          }
        });
    return links;
  }

  /** The HTML of what it says. */
  String html() {
    return HtmlRenderer.builder()
        .extensions(EXTENSIONS)
        .attributeProviderFactory(
            context ->
                (node, tag, attributes) -> {
                  if (ids.containsKey(node)) {
                    attributes.put("id", ids.get(node));
                  }
                })
        .build()
        .render(document);
  }

  /** The text of a node as it reads. */
  static String literal(Node node) {
    return texts(node, "");
  }

  private static String words(Node node) {
    return texts(node, " ");
  }

  private static String texts(Node node, String divider) {
    StringBuilder words = new StringBuilder();
    node.accept(
        new AbstractVisitor() {
          @Override
          public void visit(Text text) {
            words.append(text.getLiteral()).append(divider);
          }

          @Override
          public void visit(Code code) {
            words.append(code.getLiteral()).append(divider);
          }

          @Override
          public void visit(FencedCodeBlock block) {
            words.append(block.getLiteral()).append(divider);
          }
        });
    return words.toString();
  }
}
