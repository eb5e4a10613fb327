package io.mgtm.gtm.net;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What the frames that clients have begun, and not ended, may take together. XC clients do not show
 * who they are, so without a bound as many of them as may connect could each make the node keep the
 * most that one frame may have. Beyond the bound the frame that was begun first goes, with its
 * connection: those of who means well are short and soon whole.
 *
 * <p>Any thread.
 */
public final class PartialBudget {
  /** At a listener. */
  public static final long BYTES_MAX = 64L << 20;

  /** Of each connection this is not counted: a read brings as much. */
  static final int FREE_BYTES = ReadBuffers.CLIENT_BYTES;

  private final long bytesMax;
  private final Map<InboundWatch, Integer> counted = new LinkedHashMap<>();
  private long bytes;

  /** Nothing is kept yet. */
  public PartialBudget(long bytesMax) {
    this.bytesMax = bytesMax;
  }

  /**
   * Counts what a connection keeps.
   *
   * @param again whether it is of another frame than what was counted before
   * @return the connections that have to go, which are counted no longer
   */
  synchronized List<InboundWatch> keeps(InboundWatch who, int now, boolean again) {
    if (again || now <= FREE_BYTES) {
      Integer before = counted.remove(who);
      bytes -= before == null ? 0 : before;
    }
    if (now > FREE_BYTES) {
      Integer before = counted.put(who, now);
      bytes += now - (before == null ? 0 : before);
    }
    if (bytes <= bytesMax) {
      return List.of();
    }
    List<InboundWatch> go = new ArrayList<>();
    for (Iterator<Map.Entry<InboundWatch, Integer>> all = counted.entrySet().iterator();
        bytes > bytesMax; ) {
      Map.Entry<InboundWatch, Integer> oldest = all.next();
      bytes -= oldest.getValue();
      go.add(oldest.getKey());
      all.remove();
    }
    return go;
  }
}
