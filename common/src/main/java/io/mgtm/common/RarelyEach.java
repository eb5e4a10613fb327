package io.mgtm.common;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Says things of several kinds, each {@link Rarely}; of more kinds than it counts, the others
 * together. Any thread.
 *
 * @param <K> what tells kinds apart, such as an address
 */
public final class RarelyEach<K> {
  private static final int KINDS_MAX = 64;

  private final Map<K, Rarely> kinds = new ConcurrentHashMap<>();
  private final Supplier<Rarely> each;
  private final Rarely others;

  /** How rarely each kind is said, and the others. */
  public RarelyEach(Supplier<Rarely> each) {
    this.each = each;
    this.others = each.get();
  }

  /** As {@link Rarely#run} for a kind. */
  public void run(K kind, Consumer<String> line) {
    boolean known = kinds.containsKey(kind) || kinds.size() < KINDS_MAX;
    (known ? kinds.computeIfAbsent(kind, k -> each.get()) : others).run(line);
  }
}
