package io.mgtm.query.session;

import java.util.ArrayList;
import java.util.List;

/** Those of the open transaction, with what it had written at each. Belongs to a session. */
final class Savepoints {
  /**
   * One.
   *
   * @param redo what the log was to have
   * @param given what others had been given
   */
  private record Savepoint(String name, int redo, int given) {}

  private final List<Savepoint> all = new ArrayList<>();
  private final Redo redo;
  private final Doubts doubts;
  private final Cursors cursors;

  Savepoints(Redo redo, Doubts doubts, Cursors cursors) {
    this.redo = redo;
    this.doubts = doubts;
    this.cursors = cursors;
  }

  boolean isEmpty() {
    return all.isEmpty();
  }

  int count() {
    return all.size();
  }

  /** The first comes first. */
  List<String> names() {
    return all.stream().map(Savepoint::name).toList();
  }

  void add(String name) {
    all.add(new Savepoint(name, redo.mark(), doubts.mark()));
  }

  /** It and those after it are none any more. */
  void release(String name) {
    cut(Math.max(0, last(name)));
    cursors.release(all.size());
  }

  /** What was written since is undone; those after it are none any more. */
  void undoTo(String name) {
    int at = last(name);
    cut(at + 1);
    cursors.undo(at + 1);
    if (at < 0) {
      undo(0, 0);
    } else {
      undo(all.get(at).redo, all.get(at).given);
    }
  }

  /** What was written since the last one is undone; returns its name. */
  String undoToLast() {
    Savepoint last = all.get(all.size() - 1);
    undo(last.redo, last.given);
    return last.name;
  }

  private void undo(int toRedo, int toGiven) {
    redo.cut(toRedo);
    doubts.undo(toGiven);
  }

  private int last(String name) {
    return names().lastIndexOf(name);
  }

  private void cut(int at) {
    all.subList(at, all.size()).clear();
  }

  void clear() {
    all.clear();
  }
}
