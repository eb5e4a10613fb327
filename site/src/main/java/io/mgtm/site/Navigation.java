package io.mgtm.site;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Heading;
import org.commonmark.node.Link;
import org.commonmark.node.Node;

/** What leads to the pages: the lists below the heading "Documentation" of the first page. */
final class Navigation {
  private static final String HEADING = "Documentation";

  /**
   * A link of it.
   *
   * @param page the path of the page
   */
  record Entry(String title, String page) {}

  private final Map<String, List<Entry>> groups = new LinkedHashMap<>();

  /**
   * Reads it.
   *
   * @param target the page that a link of the first page leads to; null when it leads to none
   */
  Navigation(Page first, BiFunction<Page, String, String> target) {
    boolean inside = false;
    List<Entry> group = new ArrayList<>();
    for (Node block = first.document().getFirstChild(); block != null; block = block.getNext()) {
      if (block instanceof Heading heading) {
        String title = Page.literal(heading);
        inside = heading.getLevel() > 2 ? inside : title.equals(HEADING);
        group = new ArrayList<>();
        if (inside && heading.getLevel() > 2) {
          groups.put(title, group);
        }
      } else if (inside) {
        List<Entry> entries = group;
        block.accept(
            new AbstractVisitor() {
              @Override
              public void visit(Link link) {
                String page = target.apply(first, link.getDestination());
                if (page != null) {
                  entries.add(new Entry(Page.literal(link), page));
                }
              }
            });
      }
    }
  }

  /** Adds pages to the end of a group. */
  void add(String group, List<Entry> entries) {
    groups.computeIfAbsent(group, title -> new ArrayList<>()).addAll(entries);
  }

  /** Its groups, each by its title. */
  Map<String, List<Entry>> groups() {
    return groups;
  }
}
