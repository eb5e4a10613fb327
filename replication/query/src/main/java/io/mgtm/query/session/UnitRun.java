package io.mgtm.query.session;

import io.mgtm.query.fleet.Node;
import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs what a client sent up to one ReadyForQuery: its segments, one after the other, each at the
 * server or servers that it is for. Belongs to a session.
 */
final class UnitRun {
  /** A segment's answer is whole. */
  interface Ended {
    void ended(Relay relay, char status);
  }

  private static final int RESTARTS_MAX = 8;

  private final ReplicatedSession session;
  private final ServerSet set;
  private final SegmentSender sender;
  private final Controls controls;
  private final UtilityCommands utilities;
  private final AwaitedRun awaited;
  private final UnitNames names;
  private final List<Segment> segments = new ArrayList<>();
  private final UnitOutput output;
  private final Binds binds = new Binds();
  private final boolean beganIdle;
  private boolean failed;
  private boolean last;
  private boolean waiting;
  private int next;
  private int restarts;

  UnitRun(ReplicatedSession session) {
    this.session = session;
    this.set = session.set();
    this.sender = new SegmentSender(session, this);
    this.controls = new Controls(session, this);
    this.utilities = new UtilityCommands(session, this);
    this.awaited = new AwaitedRun(session, this);
    this.names = new UnitNames(session, this);
    this.output = new UnitOutput(session);
    this.beganIdle = set.home() == null;
  }

  /** Goes on with more; after the last there is ReadyForQuery. */
  void add(List<Segment> more, boolean isLast) {
    segments.addAll(more);
    binds.add(more);
    last = isLast;
    waiting = false;
    next();
  }

  /** Whether more is to come before ReadyForQuery, and all that came was run. */
  boolean isWaiting() {
    return waiting;
  }

  /** Whether a commit must come to its end. */
  boolean isCommitting() {
    return controls.isCommitting();
  }

  /** Runs the next segment. */
  void next() {
    session.schema().ends();
    if (session.isEnded()) {
      return;
    }
    if (failed || next == segments.size()) {
      if (last) {
        finish();
      } else {
        waiting = true;
        session.paused();
      }
      return;
    }
    Segment segment = session.planner().executed(segments.get(next));
    segments.set(next, segment);
    ErrorFields told = session.failover().takePending(segment);
    if (told != null) {
      if (segment.isCommit() && set.home() != null) {
        controls.rollBack(segment, told);
      } else {
        fail(told);
      }
      return;
    }
    boolean free = set.home() == null;
    set.choose();
    if (session.failover().hasLostTemporaries(set.homeOrLeader())) {
      return;
    }
    if (free && !session.shared().fleet().ready().isDone()) {
      session.shared().fleet().ready().thenRun(() -> session.execute(this::next));
      return;
    }
    if (awaited.comesFirst(segment) || (free && mustWaitFor(segment))) {
      return;
    }
    if (names.areKnown(segments.get(next))) {
      run(segments.get(next++));
    }
  }

  /** What is left is classified anew; portals that were bound by the old schema are not written. */
  void renew() {
    List<Segment> left = segments.subList(next, segments.size());
    List<Segment> renewed =
        session.planner().renew(session.schema().classifier(), List.copyOf(left));
    left.clear();
    segments.addAll(renewed);
    binds.begin(renewed);
    next();
  }

  private void run(Segment segment) {
    if (sender.lacksBind(segment) && (segment.isWrite() || segment.isTemporary())) {
      fail(
          ErrorFields.error("0A000", "a portal that writes was bound before the last Sync")
              .withHint("Send Bind and Execute in one go."));
      return;
    }
    session.shared().metrics().statements().count(segment);
    switch (segment.kind()) {
      case CONTROL -> controls.control(segment);
      case SESSION -> {
        session.schema().temporaries().mayDiffer();
        utilities.run(segment);
      }
      case MAINTENANCE -> utilities.maintenance(segment);
      case UNPROVEN -> awaited.unproven(segment);
      case REFUSED -> fail(UnitOutput.error(segment.refusal()));
      case COPY -> awaited.copy(segment);
      case CHECKED -> awaited.checked(segment);
      case DDL -> awaited.ddl(segment);
      case FETCH -> {
        if (set.isRead(segment.command().statement())) {
          plain(segment);
        } else {
          awaited.checked(segment.asWrite());
        }
      }
      case TEMPORARY -> {
        session.schema().temporaries().change(segment.command().statement());
        plain(segment);
      }
      case RUN -> plain(segment);
      case EXECUTE -> throw new IllegalStateException("what it executes comes in its place");
    }
  }

  /** What was written at the leader is undone, as it was classified by another schema. */
  void schemaMoved() {
    if (!repeat()) {
      fail(AwaitedRun.SCHEMA_MOVED);
    }
  }

  /** Undoes what the replicator's own transaction did, if any, and runs it again; where it may. */
  boolean repeat() {
    Backend home = set.home();
    boolean may = (home == null || set.isWrapped()) && mayRestart();
    if (may) {
      if (home != null) {
        set.rollbackOthers();
        home.ask("ROLLBACK", session.failover().unfailing(home));
        set.setStatus('I');
      }
      restart();
      next();
    }
    return may;
  }

  private boolean mayRestart() {
    return beganIdle && !output.isSent() && restarts++ < RESTARTS_MAX;
  }

  /** Whether it was undone and is run again. */
  boolean isRepeated() {
    return restarts > 0;
  }

  private void restart() {
    output.drop();
    next = 0;
    failed = false;
    binds.begin(segments);
  }

  private void plain(Segment segment) {
    if (segment.lastsAsSession()) {
      set.keepAt(session.shared().fleet().leader());
    }
    set.useCursors(segment.executed());
    if (set.home() != null) {
      if (segment.isForAll() && set.readers().isAtFollower()) {
        fail(
            ErrorFields.error("0A000", "locks, notifications and held cursors are the leader's")
                .withHint("Use a transaction that does not begin as READ ONLY."));
      } else {
        sender.send(set.home(), segment, this::ended);
      }
      return;
    }
    Backend leader = set.chosen();
    if (isWrapped()) {
      awaited.inTransaction("BEGIN", () -> plain(segment));
    } else if (segment.isLeaders()) {
      sender.send(leader, segment, this::ended);
    } else {
      awaited.read(segment);
    }
  }

  /** Whether it begins a transaction that may write, and too many run; it goes on later then. */
  private boolean mustWaitFor(Segment segment) {
    Turn turn = session.turn();
    return turn.isNeeded()
        && (segment.begins() || (segment.mayBeWrapped() && isWrapped()))
        && !turn.take(this::next);
  }

  /** Whether outside of the client's transactions it runs in one of the replicator's. */
  boolean isWrapped() {
    return !last
        || segments.stream().anyMatch(Segment::isAwaited)
        || (segments.size() > 1
            && (!set.isolation().isReadCommitted()
                || segments.stream().anyMatch(Segment::needsTransaction)));
  }

  /** A segment that may have written has its answer. */
  void ended(Relay relay, char status) {
    if (relay.error() != null) {
      awaited.refused(relay, status);
      return;
    }
    if (awaited.settles(relay, () -> ended(relay, status))) {
      return;
    }
    session.planner().ran(relay.text());
    if (set.home() != null) {
      set.setStatus(status);
    }
    if (relay.effects().bytes() > session.shared().config().limits().messageBytesMax()
        || output.bytes() > session.shared().config().limits().messageBytesMax()) {
      fail(AwaitedRun.TOO_MANY_ROWS);
      return;
    }
    if (!relay.effects().isEmpty()) {
      Node home = set.home().node();
      if (!home.isIn()) {
        lost(set.home());
        return;
      }
      if (awaited.isSchemaMoved()) {
        schemaMoved();
        return;
      }
      home.writes().increment();
      set.apply(relay.effects(), relay.nanos());
    }
    next();
  }

  /** A statement was refused, and the client was told. */
  void failedAt(char status) {
    failed = true;
    if (set.home() != null && !set.isWrapped()) {
      set.setStatus(status);
      if (status == 'E') {
        set.failed();
      }
    }
    next();
  }

  /** The replicator refuses. */
  void fail(ErrorFields why) {
    refuse(why);
    if (set.home() != null && !set.isWrapped() && set.status() == 'T') {
      set.failHome(this::next);
    } else {
      next();
    }
  }

  /** The client is told; nothing more of it is run. */
  private void refuse(ErrorFields why) {
    failed = true;
    forward(Messages.error(session.alloc(), why));
  }

  private void finish() {
    if (!set.isWrapped()) {
      complete();
    } else if (failed) {
      set.rollback(this::complete);
    } else {
      controls.commit();
    }
  }

  /** Nothing is to be done any more but to answer. */
  void complete() {
    names.settle(this::answer);
  }

  private void answer() {
    output.hold(false);
    output.send();
    session.client().write(Messages.readyForQuery(session.alloc(), set.status()));
    if (set.status() == 'I') {
      session.planner().forgetPortals();
    }
    release();
    session.unitDone();
  }

  void release() {
    awaited.end();
    segments.forEach(segment -> segment.steps().forEach(Step::release));
    segments.clear();
    output.drop();
  }

  /** Something for the client, which is taken over. */
  void forward(ByteBuf bytes) {
    output.forward(bytes);
  }

  /** Its server is out while something was asked of it. */
  void lost(Backend backend) {
    if (session.isEnded() || (set.home() != null && set.home() != backend)) {
      return;
    }
    awaited.end();
    if (set.home() != null && !set.isWrapped()) {
      refuse(backend.node().moved());
      set.moveFailed(this::next);
      return;
    }
    set.setStatus('I');
    set.rollbackOthers();
    if (mayRestart()) {
      restart();
    } else {
      refuse(backend.node().moved());
    }
    next();
  }

  Binds binds() {
    return binds;
  }

  Prepared effect(RowWrite write) {
    return session.planner().effect(write.effectSql());
  }

  UnitOutput output() {
    return output;
  }

  AwaitedRun awaited() {
    return awaited;
  }

  /** Whether the client has sent more that is not run yet. */
  boolean hasMore() {
    return next < segments.size();
  }

  /** Whether ReadyForQuery follows what is known. */
  boolean isLast() {
    return last;
  }

  /** Another Sync is to come before ReadyForQuery. */
  void awaitSync() {
    last = false;
  }

  SegmentSender sender() {
    return sender;
  }
}
