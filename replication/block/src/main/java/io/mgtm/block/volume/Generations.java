package io.mgtm.block.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * A side's history of generations, newest first. A generation begins when a side is promoted, or
 * goes on alone after losing a replica; its id is random, so that two sides that went on alone
 * never share one.
 *
 * @param ids generation ids, newest first; empty for a volume that never had a primary
 */
public record Generations(List<Long> ids) {
  /** How many generations a side remembers. */
  public static final int REMEMBERED_MAX = 128;

  /** A history without generations. */
  public static final Generations NONE = new Generations(List.of());

  /** Keeps an unchangeable copy. */
  public Generations {
    ids = List.copyOf(ids);
    if (ids.size() > REMEMBERED_MAX) {
      throw new IllegalArgumentException(
          "a history has " + ids.size() + " generations, more than " + REMEMBERED_MAX);
    }
  }

  /** Whether no primary ever wrote here. */
  public boolean isEmpty() {
    return ids.isEmpty();
  }

  /** The newest generation, or 0 when there is none. */
  public long current() {
    return ids.isEmpty() ? 0 : ids.get(0);
  }

  /** Whether {@code id} is in the history. */
  public boolean contains(long id) {
    return ids.contains(id);
  }

  /** This history with a newer generation. */
  public Generations with(long id) {
    return with(id, Set.of());
  }

  /**
   * This history with a newer generation, and where one must go, the oldest that is not among
   * {@code kept}: a peer that was away for long is recognized by the generation that it has.
   */
  public Generations with(long id, Set<Long> kept) {
    List<Long> longer = new ArrayList<>(ids);
    longer.add(0, id);
    return new Generations(bounded(longer, kept));
  }

  /** This history, and after it those of {@code older} that are among {@code kept}. */
  Generations keeping(Generations older, Set<Long> kept) {
    List<Long> longer = new ArrayList<>(ids);
    for (Long id : older.ids) {
      if (kept.contains(id) && !longer.contains(id)) {
        longer.add(id);
      }
    }
    return longer.size() == ids.size() ? this : new Generations(bounded(longer, kept));
  }

  private static List<Long> bounded(List<Long> longer, Set<Long> kept) {
    for (int i = longer.size() - 1; i > 0 && longer.size() > REMEMBERED_MAX; i--) {
      if (!kept.contains(longer.get(i))) {
        longer.remove(i);
      }
    }
    return longer.subList(0, Math.min(longer.size(), REMEMBERED_MAX));
  }

  /** The newest generations in hexadecimal, for people. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder("[");
    for (int i = 0; i < Math.min(ids.size(), 6); i++) {
      text.append(i == 0 ? "" : " < ").append(String.format(Locale.ROOT, "%016x", ids.get(i)));
    }
    return text.append(ids.size() > 6 ? " < …]" : "]").toString();
  }
}
