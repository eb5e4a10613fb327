package io.mgtm.query.session;

import io.mgtm.query.fleet.Difference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * What others answered otherwise than the leader to what the open transaction has given them. It
 * counts once the transaction commits. What it has undone by then, or since a savepoint, the leader
 * has undone too: there another transaction may have got its locks, and have come first elsewhere.
 * Belongs to a session.
 */
final class Doubts {
  /** What was given since the transaction began, and since each savepoint. */
  private final List<Given> all = new ArrayList<>();

  /** Where the next is noted; null after a savepoint. */
  private Given last;

  /** Told of what counts; null before the transaction commits. */
  private BiConsumer<Backend, Difference> certain;

  /** What others were given between two savepoints. */
  final class Given implements Effects.Mismatch {
    /** The first of each server. */
    private final Map<Backend, Difference> doubts = new HashMap<>(0);

    private boolean undone;

    @Override
    public boolean isUndone() {
      return undone;
    }

    /** One has answered otherwise. */
    @Override
    public void doubt(Backend at, Difference what) {
      if (!undone && doubts.putIfAbsent(at, what) == null && certain != null) {
        certain.accept(at, what);
      }
    }
  }

  /** They are given something more. */
  Given next() {
    if (last == null) {
      last = new Given();
      all.add(last);
    }
    return last;
  }

  /** How much they were given, to go back to. */
  int mark() {
    last = null;
    return all.size();
  }

  /** What was given since is undone. */
  void undo(int mark) {
    List<Given> since = all.subList(mark, all.size());
    since.forEach(one -> one.undone = true);
    since.clear();
    last = null;
  }

  /** The rest counts, and is told in the order in which they were given it. */
  void commit(BiConsumer<Backend, Difference> told) {
    certain = told;
    all.forEach(one -> one.doubts.forEach(told));
  }

  /** The transaction has ended. */
  void end() {
    certain = null;
    all.clear();
    last = null;
  }
}
