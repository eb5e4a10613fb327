package io.mgtm.gtm.state;

import io.mgtm.gtm.command.BackupReply.BarrierInfo;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** The barriers that were reported last, oldest first. */
final class BarrierLog {
  /** How many are remembered. */
  static final int KEPT = 1_000;

  private final Deque<BarrierInfo> barriers = new ArrayDeque<>();

  /** As it is now. */
  BarrierLog picture() {
    BarrierLog picture = new BarrierLog();
    picture.barriers.addAll(barriers);
    return picture;
  }

  void add(BarrierInfo barrier) {
    if (barriers.size() == KEPT) {
      barriers.removeFirst();
    }
    barriers.addLast(barrier);
  }

  List<BarrierInfo> list() {
    return List.copyOf(barriers);
  }
}
