package io.mgtm.gtm.state;

import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The sequences by key, spread over pages. A {@link #picture} shares them, and costs no more than
 * the list of the pages: whoever changes a page first makes a copy of its own. So a picture stays
 * as it was, and another thread may read it while the owner goes on.
 */
final class SequencePages {
  /** With a million sequences a page has some sixty, which are copied in a few microseconds. */
  private static final int PAGES = 1 << 14;

  private static final int PAGE_SHIFT = 32 - 14;
  private static final int SPREAD = 0x9e3779b9;

  /** In the order in which they came, so that the same history gives the same bytes. */
  private record Page(Map<String, Sequence> byKey, Object owner) {
    Page copyFor(Object newOwner) {
      Map<String, Sequence> copy = new LinkedHashMap<>(byKey.size() * 2);
      byKey.forEach((key, sequence) -> copy.put(key, sequence.copyAs(key)));
      return new Page(copy, newOwner);
    }
  }

  private final Page[] pages;
  private int count;

  /** Who may change a page: those of another owner are shared with a picture. */
  private Object owner = new Object();

  SequencePages() {
    this(new Page[PAGES], 0);
  }

  private SequencePages(Page[] pages, int count) {
    this.pages = pages;
    this.count = count;
  }

  /** The same sequences, which no change here shows in; nor one there here. */
  SequencePages picture() {
    owner = new Object();
    return new SequencePages(pages.clone(), count);
  }

  private static int pageOf(String key) {
    return (key.hashCode() * SPREAD) >>> PAGE_SHIFT;
  }

  int count() {
    return count;
  }

  /** A sequence to read, or null. */
  Sequence get(String key) {
    Page page = pages[pageOf(key)];
    return page == null ? null : page.byKey().get(key);
  }

  /** A sequence to change, or null. */
  Sequence forChange(String key) {
    int at = pageOf(key);
    return pages[at] == null ? null : own(at).byKey().get(key);
  }

  private Page own(int at) {
    Page page = pages[at];
    if (page == null) {
      page = new Page(new LinkedHashMap<>(), owner);
      pages[at] = page;
    } else if (page.owner() != owner) {
      page = page.copyFor(owner);
      pages[at] = page;
    }
    return page;
  }

  /** Adds a sequence, or puts it in the place of the one with its key. */
  void put(Sequence sequence) {
    if (own(pageOf(sequence.key)).byKey().put(sequence.key, sequence) == null) {
      count++;
    }
  }

  /** False when there was none. */
  boolean remove(String key) {
    boolean removed = get(key) != null && own(pageOf(key)).byKey().remove(key) != null;
    count -= removed ? 1 : 0;
    return removed;
  }

  /** Removes those whose key matches; true when there was one. */
  boolean removeIf(Predicate<String> matching) {
    int before = count;
    for (int at = 0; at < PAGES; at++) {
      if (pages[at] != null && pages[at].byKey().keySet().stream().anyMatch(matching)) {
        Collection<String> keys = own(at).byKey().keySet();
        int size = keys.size();
        keys.removeIf(matching);
        count -= size - keys.size();
      }
    }
    return count < before;
  }

  /** Shows all, to read. */
  void forEach(Consumer<Sequence> action) {
    for (Page page : pages) {
      if (page != null) {
        page.byKey().values().forEach(action);
      }
    }
  }

  /** Changes all. */
  void changeAll(Consumer<Sequence> change) {
    for (int at = 0; at < PAGES; at++) {
      if (pages[at] != null) {
        own(at).byKey().values().forEach(change);
      }
    }
  }

  @Override
  public String toString() {
    return count
        + " sequences on "
        + Arrays.stream(pages).filter(p -> p != null).count()
        + " pages";
  }
}
