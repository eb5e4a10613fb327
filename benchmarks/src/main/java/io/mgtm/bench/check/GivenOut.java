package io.mgtm.bench.check;

import java.util.HashMap;
import java.util.Map;

/**
 * What a GTM has given out, ever: gxids and sequence values. One object may serve several runs, one
 * after the other, so that what was given before a crash or failover must not come again. Any
 * thread.
 */
public final class GivenOut {
  private final PagedBitmap gxids = new PagedBitmap();
  private final Map<String, PagedBitmap> valuesByKey = new HashMap<>();
  private long gxidCount;

  /** Notes a gxid; false when it was given before. */
  public synchronized boolean addGxid(int gxid) {
    gxidCount++;
    return gxids.add(Integer.toUnsignedLong(gxid));
  }

  /** Notes a value of a sequence; false when it was given before. */
  synchronized boolean addValue(String key, long value) {
    return valuesByKey.computeIfAbsent(key, k -> new PagedBitmap()).add(value);
  }

  /** How many gxids were given, those given twice counted twice. */
  public synchronized long gxidCount() {
    return gxidCount;
  }
}
