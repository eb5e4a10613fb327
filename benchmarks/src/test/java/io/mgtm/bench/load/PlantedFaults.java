package io.mgtm.bench.load;

import io.mgtm.gtm.command.Command;
import io.mgtm.gtm.command.Gxids;
import io.mgtm.gtm.command.Reply;
import io.mgtm.gtm.command.SequenceReply;
import io.mgtm.gtm.command.SnapshotReply;
import io.mgtm.gtm.command.TransactionReply;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * Faults for {@link FakeGtm}: each answers rightly for a while, then wrongly once. What a fault
 * needs to have been seen was seen by the session that it lies to: another's may still be on its
 * way.
 */
final class PlantedFaults {
  private static final int AFTER = 10;

  private PlantedFaults() {}

  static FakeGtm.Fault none() {
    return (session, command, right) -> right;
  }

  /** Falsifies one reply of a type, to a session that got some right ones before. */
  private static <T extends Reply> FakeGtm.Fault once(Class<T> type, UnaryOperator<T> falsified) {
    return once(type, (session, right) -> falsified.apply(right));
  }

  private static <T extends Reply> FakeGtm.Fault once(
      Class<T> type, BiFunction<Long, T, T> falsified) {
    return new FakeGtm.Fault() {
      private final Map<Long, Integer> seen = new HashMap<>();
      private boolean done;

      @Override
      public Reply falsify(long session, Command command, Reply right) {
        if (done || !type.isInstance(right) || seen.merge(session, 1, Integer::sum) < AFTER) {
          return right;
        }
        T wrong = falsified.apply(session, type.cast(right));
        done = wrong != right;
        return wrong;
      }
    };
  }

  private static TransactionReply.Began began(TransactionReply.Began r, int gxid) {
    return new TransactionReply.Began(r.kind(), r.handle(), gxid, r.timestampMicros());
  }

  /** A begin gets the gxid that another got. */
  static FakeGtm.Fault repeatedGxid() {
    return once(TransactionReply.Began.class, r -> began(r, r.gxid() - 5));
  }

  /** A begin gets a gxid that nobody got, but older than those that are known. */
  static FakeGtm.Fault olderGxid() {
    return once(TransactionReply.Began.class, r -> began(r, 9_000));
  }

  private static SnapshotReply.Snapshot snapshot(
      SnapshotReply.Snapshot r, int xmin, int xmax, int recentGlobalXmin, int... running) {
    return new SnapshotReply.Snapshot(
        r.of(),
        r.handle(),
        r.gxid(),
        r.known(),
        xmin,
        xmax,
        recentGlobalXmin,
        new Gxids(running, 0, running.length));
  }

  /** A snapshot leaves out the one that asks for it, and is consistent in itself. */
  static FakeGtm.Fault hiddenTransaction() {
    return once(
        SnapshotReply.Snapshot.class,
        r -> {
          int[] rest = IntStream.of(r.running().copy()).filter(gxid -> gxid != r.gxid()).toArray();
          if (rest.length == r.running().count()) {
            return r;
          }
          int xmin = rest.length == 0 ? r.xmax() : rest[0];
          return snapshot(r, xmin, r.xmax(), r.recentGlobalXmin(), rest);
        });
  }

  /** A snapshot has an xmax that makes a running transaction look as if it had ended. */
  static FakeGtm.Fault xmaxTooHigh() {
    return once(
        SnapshotReply.Snapshot.class,
        r -> {
          int xmin = r.running().count() == 0 ? r.gxid() + 1 : r.xmin();
          return r.gxid() < r.xmax()
              ? r
              : snapshot(r, xmin, r.gxid() + 1, r.recentGlobalXmin(), r.running().copy());
        });
  }

  /** A snapshot lists a transaction whose commit was acknowledged long ago. */
  static FakeGtm.Fault endedTransaction() {
    return sinceFirst(
        TransactionReply.Ended.class,
        (ended, r) ->
            snapshot(
                r,
                ended.gxid(),
                r.xmax(),
                Math.min(r.recentGlobalXmin(), ended.gxid()),
                IntStream.concat(IntStream.of(ended.gxid()), IntStream.of(r.running().copy()))
                    .toArray()));
  }

  /** A snapshot is that of long ago: what ended since is not before its xmax. */
  static FakeGtm.Fault staleSnapshot() {
    return sinceFirst(
        SnapshotReply.Snapshot.class,
        (old, r) ->
            snapshot(r, old.xmin(), old.xmax(), old.recentGlobalXmin(), old.running().array()));
  }

  /** Falsifies a snapshot by the first reply of a type that its session received. */
  private static <T extends Reply> FakeGtm.Fault sinceFirst(
      Class<T> type, BiFunction<T, SnapshotReply.Snapshot, SnapshotReply.Snapshot> falsified) {
    Map<Long, T> first = new HashMap<>();
    FakeGtm.Fault fault =
        once(SnapshotReply.Snapshot.class, (session, r) -> falsified.apply(first.get(session), r));
    return (session, command, right) -> {
      if (type.isInstance(right) && !first.containsKey(session)) {
        first.put(session, type.cast(kept(right)));
      }
      return fault.falsify(session, command, right);
    };
  }

  /** A snapshot's list is valid until the next reply only. */
  private static Reply kept(Reply reply) {
    return reply instanceof SnapshotReply.Snapshot s
        ? snapshot(s, s.xmin(), s.xmax(), s.recentGlobalXmin(), s.running().copy())
        : reply;
  }

  /** xmin is not the oldest that is listed. */
  static FakeGtm.Fault wrongXmin() {
    return once(
        SnapshotReply.Snapshot.class,
        r -> snapshot(r, r.xmin() - 1, r.xmax(), 1, r.running().copy()));
  }

  /** The recent global xmin lies after xmin. */
  static FakeGtm.Fault wrongGlobalXmin() {
    return once(
        SnapshotReply.Snapshot.class,
        r -> snapshot(r, r.xmin(), r.xmax(), r.xmin() + 1, r.running().copy()));
  }

  /** A sequence gives the value that it gave to another. */
  static FakeGtm.Fault repeatedValue() {
    return once(
        SequenceReply.Value.class, r -> new SequenceReply.Value(r.of(), r.key(), r.value() - 1));
  }

  /** A sequence jumps ahead and comes back. */
  static FakeGtm.Fault valueThatWentBack() {
    return once(
        SequenceReply.Value.class,
        r -> new SequenceReply.Value(r.of(), r.key(), r.value() + 1_000_000));
  }

  /** A begin is answered with an error. */
  static FakeGtm.Fault error() {
    return once(Reply.class, r -> new Reply.Rejected(Reply.Reason.BAD_STATE, "planted", ""));
  }

  /** A commit says that there was no such transaction. */
  static FakeGtm.Fault unknownTransaction() {
    return once(
        TransactionReply.Ended.class,
        r -> new TransactionReply.Ended(r.outcome(), r.gxid(), false));
  }

  /** A request is answered with another's reply. */
  static FakeGtm.Fault otherReply() {
    return once(Reply.class, r -> new TransactionReply.NextGxid(5));
  }

  /** The connection of every 50th request is closed instead of answered. */
  static FakeGtm.Fault closedConnections() {
    return new FakeGtm.Fault() {
      private int seen;

      @Override
      public Reply falsify(long session, Command command, Reply right) {
        return ++seen % 50 == 0 ? null : right;
      }
    };
  }
}
