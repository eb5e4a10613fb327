package io.mgtm.gtm.state;

import io.mgtm.gtm.command.Names;
import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import java.util.AbstractList;
import java.util.List;
import java.util.function.Consumer;

/**
 * The sequences by key, spread over pages. A {@link #picture} shares them, and costs no more than
 * the list of the pages: whoever changes a page first makes a copy of its own. So a picture stays
 * as it was, and another thread may read it while the owner goes on.
 *
 * <p>What is read is a copy; {@link #put} stores a changed one. What every sequence is to go
 * through, {@link #skipReserved}, costs nothing either: each page counts how often it has done so,
 * and does the rest when it is changed; until then what is read of it goes through it.
 */
final class SequencePages {
  /** With a million sequences a page has some sixty, which are copied in a few microseconds. */
  private static final int PAGES = 1 << 14;

  private static final int PAGE_SHIFT = 32 - 14;
  private static final int SPREAD = 0x9e3779b9;

  private record Page(SequencePage of, Object owner, long skips) {}

  private final Page[] pages;
  private int count;
  private long keyBytes;

  /** How often all have passed over what was reserved. */
  private long skips;

  /** Who may change a page: those of another owner are shared with a picture. */
  private Object owner = new Object();

  SequencePages() {
    this(new Page[PAGES]);
  }

  private SequencePages(Page[] pages) {
    this.pages = pages;
  }

  /** The same sequences, which no change here shows in; nor one there here. */
  SequencePages picture() {
    owner = new Object();
    SequencePages picture = new SequencePages(pages.clone());
    picture.count = count;
    picture.keyBytes = keyBytes;
    picture.skips = skips;
    return picture;
  }

  static int pageOf(String key) {
    return (key.hashCode() * SPREAD) >>> PAGE_SHIFT;
  }

  int count() {
    return count;
  }

  boolean contains(String key) {
    Page page = pages[pageOf(key)];
    return page != null && page.of().find(key) >= 0;
  }

  /** A copy of a sequence, or null. */
  Sequence get(String key) {
    Page page = pages[pageOf(key)];
    int at = page == null ? -1 : page.of().find(key);
    return at < 0 ? null : skipped(page, page.of().get(at, key));
  }

  private Sequence skipped(Page page, Sequence sequence) {
    for (long done = page.skips(); done < skips; done++) {
      sequence.skipReserved();
    }
    return sequence;
  }

  /** The page, to be changed: its own, and as if all that it is to go through was done at once. */
  private SequencePage own(int at) {
    Page page = pages[at];
    if (page != null && page.owner() == owner && page.skips() == skips) {
      return page.of();
    }
    SequencePage own = page == null ? new SequencePage() : page.of();
    if (page != null && page.owner() != owner) {
      own = new SequencePage(own);
    }
    if (page != null && page.skips() != skips) {
      for (int i = 0; i < own.count(); i++) {
        own.set(i, skipped(page, own.get(i)));
      }
    }
    pages[at] = new Page(own, owner, skips);
    return own;
  }

  /** Adds a sequence, or puts it in the place of the one with its key. */
  void put(Sequence sequence) {
    SequencePage page = own(pageOf(sequence.key));
    int at = page.find(sequence.key);
    if (at >= 0) {
      page.set(at, sequence);
      return;
    }
    page.add(sequence);
    count++;
    keyBytes += sequence.key.length();
  }

  /** False when there was none. */
  boolean remove(String key) {
    if (!contains(key)) {
      return false;
    }
    SequencePage page = own(pageOf(key));
    page.remove(page.find(key));
    count--;
    keyBytes -= key.length();
    return true;
  }

  /** Removes those whose key begins so; true when there was one. */
  boolean removeAll(String prefix) {
    byte[] bytes = prefix.getBytes(Names.BYTES);
    int before = count;
    for (int at = 0; at < PAGES; at++) {
      if (pages[at] != null) {
        removeAll(at, bytes);
      }
    }
    return count < before;
  }

  private void removeAll(int at, byte[] prefix) {
    SequencePage page = pages[at].of();
    if (page.allStartWith(prefix)) {
      pages[at] = null;
      count -= page.count();
      keyBytes -= page.keyBytes();
      return;
    }
    for (int i = page.count() - 1; i >= 0; i--) {
      if (page.keyStartsWith(i, prefix)) {
        page = own(at);
        int length = page.keyBytes();
        page.remove(i);
        keyBytes -= length - page.keyBytes();
        count--;
      }
    }
  }

  /** Shows a copy of each. */
  void forEach(Consumer<Sequence> action) {
    for (Page page : pages) {
      for (int i = 0; page != null && i < page.of().count(); i++) {
        action.accept(skipped(page, page.of().get(i)));
      }
    }
  }

  /** After a crash: no value that may have been handed out comes again. */
  void skipReserved() {
    skips++;
  }

  /** What the keys take together. */
  long keyBytes() {
    return keyBytes;
  }

  /** All of a picture, as the original tells them; for one thread, and quickly in order only. */
  List<SequenceInfo> infos() {
    return new Infos();
  }

  private final class Infos extends AbstractList<SequenceInfo> {
    private int page;
    private int before;

    @Override
    public SequenceInfo get(int index) {
      if (index < 0 || index >= count) {
        throw new IndexOutOfBoundsException(index);
      }
      if (index < before) {
        page = 0;
        before = 0;
      }
      while (index - before >= size(page)) {
        before += size(page);
        page++;
      }
      Page of = pages[page];
      return skipped(of, of.of().get(index - before)).info();
    }

    private int size(int at) {
      return pages[at] == null ? 0 : pages[at].of().count();
    }

    @Override
    public int size() {
      return count;
    }
  }
}
