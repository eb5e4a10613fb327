package io.mgtm.gtm.state;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Sequences by key, spread over pages. A {@link #picture} shares them, and costs no more than the
 * list of the pages: whoever changes a page first makes a copy of its own. So a picture stays as it
 * was, and another thread may read it while the owner goes on.
 *
 * <p>There is a page for each {@link #PAGE_SEQUENCES} of them, by linear hashing: one more page
 * takes its part of one other's. So nothing is ever done to all of them at once. How many pages
 * there are, and the order in them, follow from what they hold and in which order it came; whoever
 * puts all again in the order of {@link #forEach} gets the same.
 *
 * <p>What is read is a copy; {@link #put} stores a changed one. What every sequence is to go
 * through, {@link #skipReserved}, costs nothing either: each page counts how often it has done so,
 * and does the rest when it is changed; until then what is read of it goes through it.
 */
final class SequencePages {
  /** In the mean: a page is copied in a few microseconds, and a million need few objects. */
  static final int PAGE_SEQUENCES = 32;

  private static final int SPREAD = 0x9e3779b9;
  private static final int HALF = 16;

  private record Page(SequencePage of, Object owner, long skips) {}

  private Page[] pages;
  private int used;
  private int count;
  private long keyBytes;

  /** How often all have passed over what was reserved. */
  private long skips;

  /** Who may change a page: those of another owner are shared with a picture. */
  private Object owner = new Object();

  /** Grows whenever a sequence may come to lie in another place. */
  private long moves;

  SequencePages() {
    this(new Page[1], 1);
  }

  private SequencePages(Page[] pages, int used) {
    this.pages = pages;
    this.used = used;
  }

  /** The same sequences, which no change here shows in; nor one there here. */
  SequencePages picture() {
    owner = new Object();
    SequencePages picture = new SequencePages(Arrays.copyOf(pages, used), used);
    picture.count = count;
    picture.keyBytes = keyBytes;
    picture.skips = skips;
    return picture;
  }

  private int pageOf(String key) {
    int hash = key.hashCode() * SPREAD;
    int mixed = hash ^ hash >>> HALF;
    int half = Integer.highestOneBit(used);
    int at = mixed & (2 * half - 1);
    return at < used ? at : at & (half - 1);
  }

  int count() {
    return count;
  }

  int pages() {
    return used;
  }

  /** How many sequences one has. */
  int size(int at) {
    return pages[at] == null ? 0 : pages[at].of().count();
  }

  /** A copy of one of a page. */
  Sequence get(int page, int at) {
    return skipped(pages[page], pages[page].of().get(at));
  }

  boolean contains(String key) {
    Page page = pages[pageOf(key)];
    return page != null && page.of().find(key) >= 0;
  }

  /** A copy of a sequence, or null. */
  Sequence get(String key) {
    Page page = pages[pageOf(key)];
    int at = page == null ? -1 : page.of().find(key);
    if (at < 0) {
      return null;
    }
    Sequence sequence = skipped(page, page.of().get(at, key));
    sequence.place(at, moves);
    return sequence;
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

  /**
   * Draws the next value where that is a plain step, see {@link SequencePage#step}.
   *
   * @param value gets it
   * @return false when nothing was done
   */
  boolean step(String key, long[] value) {
    int where = pageOf(key);
    int at = pages[where] == null ? -1 : pages[where].of().find(key);
    if (at < 0) {
      return false;
    }
    SequencePage page = own(where);
    boolean stepped = page.step(at);
    value[0] = page.value(at);
    return stepped;
  }

  /** Adds a sequence, or puts it in the place of the one with its key. */
  void put(Sequence sequence) {
    String key = sequence.key;
    int where = pageOf(key);
    Page page = pages[where];
    int at = sequence.placeAt(moves);
    if (at < 0 && page != null) {
      at = page.of().find(key);
    }
    if (at >= 0) {
      own(where).set(at, sequence);
      return;
    }
    count++;
    keyBytes += key.length();
    if (count > (long) used * PAGE_SEQUENCES) {
      split();
    }
    moves++;
    own(pageOf(key)).add(sequence);
  }

  /** One page more, which takes its part of another's. */
  private void split() {
    if (used == pages.length) {
      pages = Arrays.copyOf(pages, 2 * used);
    }
    int from = used - Integer.highestOneBit(used);
    SequencePage both = pages[from] == null ? new SequencePage() : own(from);
    SequencePage kept = new SequencePage();
    SequencePage moved = new SequencePage();
    used++;
    for (int i = 0; i < both.count(); i++) {
      Sequence sequence = both.get(i);
      (pageOf(sequence.key) == from ? kept : moved).add(sequence);
    }
    pages[from] = new Page(kept, owner, skips);
    pages[used - 1] = new Page(moved, owner, skips);
  }

  /** The last page goes back to the one that it was split from. */
  private void merge() {
    used--;
    SequencePage to = own(used - Integer.highestOneBit(used));
    for (int i = 0; i < size(used); i++) {
      to.add(get(used, i));
    }
    pages[used] = null;
  }

  /** False when there was none. */
  boolean remove(String key) {
    if (!contains(key)) {
      return false;
    }
    SequencePage page = own(pageOf(key));
    page.remove(page.find(key));
    moves++;
    count--;
    keyBytes -= key.length();
    if (used > 1 && count <= (used - 1L) * PAGE_SEQUENCES) {
      merge();
    }
    return true;
  }

  /** Shows a copy of each. */
  void forEach(Consumer<Sequence> action) {
    for (int page = 0; page < used; page++) {
      for (int i = 0; i < size(page); i++) {
        action.accept(get(page, i));
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
}
