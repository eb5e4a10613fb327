package io.mgtm.query.server;

import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
  private final List<Segment> segments = new ArrayList<>();
  private final List<ByteBuf> held = new ArrayList<>();
  private final Map<String, Step> bound = new HashMap<>();
  private final boolean beganIdle;
  private boolean hold;
  private boolean sent;
  private boolean failed;
  private boolean last;
  private boolean waiting;
  private long heldBytes;
  private int next;
  private int restarts;
  private Commit commit;
  private CopyIn copy;

  UnitRun(ReplicatedSession session) {
    this.session = session;
    this.set = session.set();
    this.sender = new SegmentSender(session, this);
    this.controls = new Controls(session, this);
    this.beganIdle = set.home() == null;
  }

  /** Goes on with more; after the last there is ReadyForQuery. */
  void add(List<Segment> more, boolean isLast) {
    segments.addAll(more);
    for (Segment segment : more) {
      for (Step step : segment.steps()) {
        if (step.type() == 'B') {
          bound.put(step.name(), step);
        }
      }
    }
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
    return commit != null && commit.isInside();
  }

  /** What the commit said instead. */
  void refuseCommit(ErrorFields why) {
    failed = true;
    forward(Messages.error(session.alloc(), why));
    next();
  }

  ServerSet set() {
    return set;
  }

  /** Runs the next segment. */
  void next() {
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
    ErrorFields told = session.takePending(segments.get(next));
    if (told != null) {
      fail(told);
      return;
    }
    boolean free = set.home() == null;
    set.choose();
    if (free && !session.shared().fleet().ready().isDone()) {
      session.shared().fleet().ready().thenRun(() -> session.execute(this::next));
      return;
    }
    if (free && set.isStale()) {
      session.stale();
      return;
    }
    run(segments.get(next++));
  }

  private void run(Segment segment) {
    switch (segment.kind()) {
      case CONTROL -> controls.control(segment);
      case SESSION -> controls.setting(segment);
      case UNPROVEN -> controls.unproven(segment);
      case REFUSED ->
          fail(
              ErrorFields.error("0A000", segment.refusal().message())
                  .withHint(segment.refusal().hint()));
      case COPY -> copy(segment);
      case RUN -> plain(segment);
    }
  }

  private void copy(Segment segment) {
    if (segment.simple() == null && next < segments.size()) {
      fail(
          ErrorFields.error("0A000", "there are messages between COPY FROM and its data")
              .withHint("Send Sync or Flush after Execute."));
      return;
    }
    if (set.home() == null) {
      hold = last;
      set.wrap(set.chosen(), "BEGIN");
    }
    copy = new CopyIn(session, this, segment);
    sender.send(set.home(), segment, copy::leaderAnswered);
  }

  /** The leader wants the data; what was held is told before it is asked for them. */
  void copyBegins(Frame frame) {
    sendHeld();
    sent = true;
    session.client().write(frame.content());
    if (copy.isExtended()) {
      // The Sync that was sent with it belongs to the data, and another comes after them.
      hold = false;
      last = false;
    }
    copy.begin();
    session.paused();
  }

  /** The COPY that takes what the client sends, or null. */
  CopyIn copying() {
    return copy != null && copy.isTaking() ? copy : null;
  }

  boolean isCopyBehind() {
    return copy != null && copy.isBehind();
  }

  void pumpCopy() {
    if (copy != null) {
      copy.pump();
    }
  }

  private void endCopy() {
    if (copy != null) {
      copy.close();
      copy = null;
    }
  }

  /** All servers have the data, or the leader has refused them, or they could not be kept. */
  void copied(Relay relay, char status, ErrorFields why) {
    copy = null;
    Backend home = set.home();
    boolean here = home.node().isIn() && !home.isGone();
    if (relay.error() == null && !here) {
      lost(home);
    } else if (relay.error() == null && why != null) {
      fail(why);
    } else {
      ended(relay, status);
    }
  }

  private void plain(Segment segment) {
    if (segment.isWrite() && sender.lacksBind(segment)) {
      fail(
          ErrorFields.error("0A000", "a portal that writes was bound before the last Sync")
              .withHint("Send Bind and Execute in one go."));
      return;
    }
    if (set.home() != null) {
      sender.send(set.home(), segment, this::ended);
      return;
    }
    boolean writes = segments.stream().anyMatch(Segment::isWrite);
    Backend leader = set.chosen();
    if (writes || !last) {
      hold = last;
      set.wrap(leader, "BEGIN");
      sender.send(leader, segment, this::ended);
    } else if (segment.isLeaders()) {
      sender.send(leader, segment, this::ended);
    } else {
      Backend reader = set.reader();
      reader.node().reads().increment();
      sender.send(reader, segment, this::ended);
    }
  }

  /** A segment that may have written has its answer. */
  void ended(Relay relay, char status) {
    if (relay.error() != null) {
      failedAt(status);
      return;
    }
    if (set.home() != null) {
      set.setStatus(status);
    }
    if (relay.effects().bytes() > session.shared().config().limits().messageBytesMax()
        || heldBytes > session.shared().config().limits().messageBytesMax()) {
      fail(
          ErrorFields.error("54000", "a statement wrote more rows than are held")
              .withHint("Write fewer rows at a time, or raise limits.messageBytesMax."));
      return;
    }
    if (!relay.effects().isEmpty()) {
      Node home = set.home().node();
      if (!home.isIn()) {
        lost(set.home());
        return;
      }
      home.writes().increment();
      set.apply(relay.effects());
    }
    next();
  }

  /** The server has refused a statement, and the client was told. */
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
    failed = true;
    forward(Messages.error(session.alloc(), why));
    if (set.home() != null && !set.isWrapped() && set.status() == 'T') {
      set.failHome(this::next);
    } else {
      next();
    }
  }

  private void finish() {
    if (!set.isWrapped()) {
      complete();
    } else if (failed) {
      rollback();
    } else {
      commit = controls.commit(null);
      commit.start();
    }
  }

  private void rollback() {
    Backend home = set.home();
    set.rollbackOthers();
    home.ask(
        "ROLLBACK",
        Answer.of(
            (tag, error, status) -> {
              set.setStatus('I');
              complete();
            },
            () -> {
              set.setStatus('I');
              complete();
            }));
  }

  /** Nothing is to be done any more but to answer. */
  void complete() {
    commit = null;
    hold = false;
    sendHeld();
    session.client().write(Messages.readyForQuery(session.alloc(), set.status()));
    release();
    session.unitDone();
  }

  private void sendHeld() {
    held.forEach(bytes -> session.client().write(bytes));
    held.clear();
    heldBytes = 0;
  }

  void release() {
    endCopy();
    segments.forEach(segment -> segment.steps().forEach(Step::release));
    segments.clear();
    held.forEach(ReferenceCountUtil::release);
    held.clear();
  }

  void setCommit(Commit one) {
    commit = one;
  }

  /** Something for the client, which is taken over. */
  void forward(ByteBuf bytes) {
    if (hold) {
      held.add(bytes);
      heldBytes += bytes.readableBytes();
    } else {
      sent = true;
      session.client().write(bytes);
    }
  }

  void error(Segment segment, ErrorFields fields, Frame frame) {
    if (segment.kind() == Segment.Kind.UNPROVEN && fields.sqlState().equals("25006")) {
      forward(
          Messages.error(
              session.alloc(),
              fields.withHint(
                  "The replicator runs what it cannot prove to be a read as one. "
                      + "Write by INSERT, UPDATE or DELETE.")));
      frame.release();
      return;
    }
    if (copy != null) {
      copy.leaderFailed();
    }
    if (copy != null && copy.refusal() != null) {
      forward(Messages.error(session.alloc(), copy.refusal()));
      frame.release();
    } else {
      forward(frame.content());
    }
  }

  /** Its server is out while something was asked of it. */
  void lost(Backend backend) {
    if (session.isEnded() || (set.home() != null && set.home() != backend)) {
      return;
    }
    endCopy();
    if (set.home() != null && !set.isWrapped()) {
      failed = true;
      forward(Messages.error(session.alloc(), ReplicatedSession.movedError(backend.node())));
      set.moveFailed(this::next);
      return;
    }
    set.setStatus('I');
    set.rollbackOthers();
    if (beganIdle && !sent && restarts++ < RESTARTS_MAX) {
      held.forEach(ReferenceCountUtil::release);
      held.clear();
      heldBytes = 0;
      next = 0;
      failed = false;
    } else {
      failed = true;
      forward(Messages.error(session.alloc(), ReplicatedSession.movedError(backend.node())));
    }
    next();
  }

  Step bound(Step execute) {
    return bound.get(execute.name());
  }

  /** Of the columns that the replicator added to a row. */
  int formatOf(Step execute) {
    Step bind = bound(execute);
    if (bind == null || !execute.rows().returning()) {
      return 0;
    }
    int[] formats = Step.resultFormats(bind.afterNames());
    return formats.length == 1 ? formats[0] : 0;
  }

  Prepared effect(RowWrite write) {
    return session.planner().effect(write.effectSql());
  }

  SegmentSender sender() {
    return sender;
  }
}
