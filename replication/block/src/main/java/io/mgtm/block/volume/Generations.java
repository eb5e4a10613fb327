package io.mgtm.block.volume;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

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
    List<Long> longer = new ArrayList<>(Math.min(ids.size() + 1, REMEMBERED_MAX));
    longer.add(id);
    longer.addAll(ids.subList(0, Math.min(ids.size(), REMEMBERED_MAX - 1)));
    return new Generations(longer);
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
