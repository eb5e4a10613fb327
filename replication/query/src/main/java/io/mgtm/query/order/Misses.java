package io.mgtm.query.order;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What of an entry a server is to be given. It is the only place where that is decided: at a start
 * for all servers, and for one that comes back.
 *
 * @param parts in their order
 * @param cannot why it cannot be given what it misses, or null
 */
public record Misses(List<Part> parts, String cannot) {
  public Misses {
    parts = List.copyOf(parts);
  }

  /**
   * Looks at an entry.
   *
   * @param positions of the server, by database
   * @param dropped the slots of transactions that were dropped, by number
   */
  public static Misses of(
      Entry entry, Map<String, Position> positions, Map<Long, List<Integer>> dropped) {
    List<Part> parts = new ArrayList<>();
    if (!(entry instanceof Entry.Commits commits)) {
      return new Misses(parts, null);
    }
    for (Part part : commits.parts()) {
      Position position = positions.get(part.database());
      if (position == null) {
        return new Misses(parts, "it has no database " + part.database());
      }
      boolean noted = position.has(entry.number(), part.slot());
      boolean has = position.has(entry.number(), part);
      if (dropped.getOrDefault(entry.number(), List.of()).contains(part.slot())) {
        if (has && (!noted || position.of(part.slot()) == entry.number())) {
          return new Misses(
              parts, "it has transaction %d, which was dropped".formatted(entry.number()));
        }
      } else if (!has) {
        if (part.effects() == null) {
          return new Misses(
              parts, "the log does not hold what transaction %d wrote".formatted(entry.number()));
        }
        parts.add(part);
      } else if (!noted) {
        parts.add(part.committed());
      }
    }
    return new Misses(parts, null);
  }
}
