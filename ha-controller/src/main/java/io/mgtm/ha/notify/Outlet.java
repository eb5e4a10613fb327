package io.mgtm.ha.notify;

import io.mgtm.ha.core.Event;
import java.io.IOException;
import java.util.List;

/** A way to tell somebody of events. Any thread. */
interface Outlet {
  /**
   * Tells of events, and comes back when the other side has taken them.
   *
   * @param lost how many events before these could not be kept for so long
   * @throws IOException when it has not, or may not have; a sentence says why
   */
  void send(List<Event> events, long lost) throws IOException, InterruptedException;
}
