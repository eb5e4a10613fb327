package io.mgtm.block.volume;

import io.mgtm.block.intent.Opening;
import java.util.ArrayList;
import java.util.List;

/**
 * How often a side's metadata were opened, and the ids of the last openings. Whoever has heard of
 * an opening that is not among them knows that they were put back from an earlier time: what that
 * side did since is not in its bitmaps.
 *
 * @param count the number of openings
 * @param ids the last ones, newest first
 */
public record Openings(long count, List<Long> ids) {
  /** How many a side remembers; what is longer ago is believed. */
  public static final int REMEMBERED_MAX = 64;

  /** From before openings were counted. */
  public static final Openings NONE = new Openings(0, List.of());

  /** Keeps an unchangeable copy. */
  public Openings {
    ids = List.copyOf(ids);
    if (ids.size() > REMEMBERED_MAX || ids.size() > count) {
      throw new IllegalArgumentException(count + " openings with " + ids.size() + " ids");
    }
  }

  /** The last opening. */
  public Opening newest() {
    return ids.isEmpty() ? Opening.NONE : new Opening(count, ids.get(0));
  }

  /** These, and another one. */
  public Openings with(long id) {
    List<Long> more = new ArrayList<>(ids);
    more.add(0, id);
    return new Openings(count + 1, more.subList(0, Math.min(more.size(), REMEMBERED_MAX)));
  }

  /** The first opening after {@code heard}, which these did not know, and after these. */
  Openings after(Opening heard, long id) {
    return new Openings(Math.max(count, heard.count()) + 1, List.of(id));
  }

  /** Whether {@code heard} was one of these; a side that tells none is believed. */
  boolean knows(Opening heard) {
    if (count == 0 || heard.count() == 0) {
      return true;
    }
    long back = count - heard.count();
    return back >= 0 && (back >= ids.size() || ids.get((int) back) == heard.id());
  }
}
