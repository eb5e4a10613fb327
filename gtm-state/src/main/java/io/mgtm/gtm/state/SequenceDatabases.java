package io.mgtm.gtm.state;

import io.mgtm.gtm.command.SequenceReply.SequenceInfo;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * All sequences by key, those of each database apart, so that a database is dropped at once,
 * however many it has. A key names its database before its first dot.
 *
 * <p>Databases stand in the order in which their first sequence came, as they would when all were
 * put again in the order of {@link #forEach}. Pictures are those of {@link SequencePages}.
 */
final class SequenceDatabases {
  private final Map<String, SequencePages> byName = new LinkedHashMap<>();

  /** The database that was asked for last: most often it is the next one too. */
  private String lastName;

  private SequencePages last;
  private int count;
  private long keyBytes;

  /** The same sequences, which no change here shows in; nor one there here. */
  SequenceDatabases picture() {
    SequenceDatabases picture = new SequenceDatabases();
    byName.forEach((name, pages) -> picture.byName.put(name, pages.picture()));
    picture.count = count;
    picture.keyBytes = keyBytes;
    return picture;
  }

  /** With the dot, and empty for a key that names none. */
  private static String databaseOf(String key) {
    return key.substring(0, key.indexOf('.') + 1);
  }

  /** Null when it has no sequences. */
  private SequencePages of(String key) {
    if (lastName != null && key.startsWith(lastName) && key.indexOf('.') + 1 == lastName.length()) {
      return last;
    }
    String name = databaseOf(key);
    SequencePages found = byName.get(name);
    if (found != null) {
      lastName = name;
      last = found;
    }
    return found;
  }

  int count() {
    return count;
  }

  /** What the keys take together. */
  long keyBytes() {
    return keyBytes;
  }

  boolean contains(String key) {
    SequencePages pages = of(key);
    return pages != null && pages.contains(key);
  }

  /** A copy of a sequence, or null. */
  Sequence get(String key) {
    SequencePages pages = of(key);
    return pages == null ? null : pages.get(key);
  }

  /** As {@link SequencePages#step}. */
  boolean step(String key, long[] value) {
    SequencePages pages = of(key);
    return pages != null && pages.step(key, value);
  }

  /** Adds a sequence, or puts it in the place of the one with its key. */
  void put(Sequence sequence) {
    SequencePages pages = of(sequence.key);
    if (pages == null) {
      pages = new SequencePages();
      byName.put(databaseOf(sequence.key), pages);
    }
    int before = pages.count();
    pages.put(sequence);
    if (pages.count() > before) {
      count++;
      keyBytes += sequence.key.length();
    }
  }

  /** False when there was none. */
  boolean remove(String key) {
    SequencePages pages = of(key);
    if (pages == null || !pages.remove(key)) {
      return false;
    }
    count--;
    keyBytes -= key.length();
    if (pages.count() == 0) {
      forget(databaseOf(key));
    }
    return true;
  }

  private void forget(String name) {
    byName.remove(name);
    lastName = null;
    last = null;
  }

  /** Removes those of a database; true when there was one. */
  boolean removeDatabase(String database) {
    String prefix = database + ".";
    String name = databaseOf(prefix);
    SequencePages pages = byName.get(name);
    if (pages == null) {
      return false;
    }
    int before = count;
    if (name.length() == prefix.length()) {
      count -= pages.count();
      keyBytes -= pages.keyBytes();
      forget(name);
    } else {
      removeAll(pages, prefix);
    }
    return count < before;
  }

  /** A database with a dot in its name is part of what counts as one here. */
  private void removeAll(SequencePages pages, String prefix) {
    List<String> keys = new ArrayList<>();
    pages.forEach(
        sequence -> {
          if (sequence.key.startsWith(prefix)) {
            keys.add(sequence.key);
          }
        });
    keys.forEach(this::remove);
  }

  /** Shows a copy of each. */
  void forEach(Consumer<Sequence> action) {
    byName.values().forEach(pages -> pages.forEach(action));
  }

  /** After a crash: no value that may have been handed out comes again. */
  void skipReserved() {
    byName.values().forEach(SequencePages::skipReserved);
  }

  /** All of a picture, as the original tells them; for one thread, and quickly in order only. */
  List<SequenceInfo> infos() {
    return new Infos(List.copyOf(byName.values()), count);
  }

  private static final class Infos extends AbstractList<SequenceInfo> {
    private final List<SequencePages> all;
    private final int size;
    private int database;
    private int page;
    private int before;

    Infos(List<SequencePages> all, int size) {
      this.all = all;
      this.size = size;
    }

    @Override
    public SequenceInfo get(int index) {
      if (index < 0 || index >= size) {
        throw new IndexOutOfBoundsException(index);
      }
      if (index < before) {
        database = 0;
        page = 0;
        before = 0;
      }
      while (index - before >= all.get(database).size(page)) {
        before += all.get(database).size(page);
        page++;
        if (page == all.get(database).pages()) {
          page = 0;
          database++;
        }
      }
      return all.get(database).get(page, index - before).info();
    }

    @Override
    public int size() {
      return size;
    }
  }
}
