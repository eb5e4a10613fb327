package io.mgtm.query.server;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * What others answered otherwise than the leader to what the open transaction has given them. It
 * counts once the transaction commits. What it has undone by then, or since a savepoint, the leader
 * has undone too: there another transaction may have got its locks, and have come first elsewhere.
 * Belongs to a session.
 */
final class Doubts {
  private final BiConsumer<Backend, Difference> certain;
  private final List<Given> all = new ArrayList<>();
  private boolean committing;

  /**
   * @param certain told of what counts
   */
  Doubts(BiConsumer<Backend, Difference> certain) {
    this.certain = certain;
  }

  /** Something that others were given. */
  final class Given {
    private final List<Runnable> doubts = new ArrayList<>();
    private boolean undone;

    /** One has answered otherwise. */
    void doubt(Backend at, Difference what) {
      if (undone) {
        return;
      }
      doubts.add(() -> certain.accept(at, what));
      if (committing) {
        count();
      }
    }

    private void count() {
      doubts.forEach(Runnable::run);
      doubts.clear();
    }
  }

  /** They are given something more. */
  Given next() {
    Given one = new Given();
    all.add(one);
    return one;
  }

  /** How much they were given, to go back to. */
  int mark() {
    return all.size();
  }

  /** What was given since is undone. */
  void undo(int mark) {
    List<Given> since = all.subList(mark, all.size());
    since.forEach(one -> one.undone = true);
    since.clear();
  }

  /** The rest counts. */
  void commit() {
    committing = true;
    List.copyOf(all).forEach(Given::count);
  }

  /** The transaction has ended. */
  void end() {
    committing = false;
    all.clear();
  }
}
