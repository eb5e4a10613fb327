package io.mgtm.query.server;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;

/**
 * Runs what is answered later than the leader has done it: COPY FROM and changes of the schema when
 * all servers have, and writes that are looked at. Belongs to a session.
 */
final class AwaitedRun {
  private final ReplicatedSession session;
  private final UnitRun run;
  private final ServerSet set;
  private CopyIn copy;
  private CheckedWrite checked;

  AwaitedRun(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.run = run;
    this.set = session.set();
  }

  /** A transaction is open, if only the replicator's own. */
  private void begin(String sql) {
    if (set.home() == null) {
      run.output().hold(run.isLast());
      set.wrap(set.chosen(), sql);
    }
  }

  void checked(Segment segment) {
    begin("BEGIN");
    checked = new CheckedWrite(session, run, segment);
    checked.start();
  }

  void ddl(Segment segment) {
    begin("BEGIN ISOLATION LEVEL READ COMMITTED");
    run.sender().send(set.home(), segment, new SchemaChange(session, run, segment)::leaderAnswered);
  }

  /** All servers have another schema; or it cannot be had, and why. */
  void schemaChanged(char status, ErrorFields why) {
    if (isHomeLost()) {
      run.lost(set.home());
    } else if (why != null) {
      run.fail(why);
    } else {
      set.setStatus(status);
      run.next();
    }
  }

  private boolean isHomeLost() {
    return !set.home().node().isIn() || set.home().isGone();
  }

  void copy(Segment segment) {
    if (segment.simple() == null && run.hasMore()) {
      run.fail(
          ErrorFields.error("0A000", "there are messages between COPY FROM and its data")
              .withHint("Send Sync or Flush after Execute."));
      return;
    }
    begin("BEGIN");
    copy = new CopyIn(session, run, segment);
    run.sender().send(set.home(), segment, copy::leaderAnswered);
  }

  /** The leader wants the data; what was held is told before it is asked for them. */
  void copyBegins(Frame frame) {
    run.output().hold(false);
    run.output().send();
    run.output().forward(frame.content());
    if (copy.isExtended()) {
      // The Sync that was sent with it belongs to the data, and another comes after them.
      run.awaitSync();
    } else {
      run.output().hold(set.isWrapped());
    }
    copy.begin();
    session.paused();
  }

  /** The COPY that takes what the client sends, or null. */
  CopyIn copying() {
    return copy != null && copy.isTaking() ? copy : null;
  }

  /** Whether more data wait for the disk than may. */
  boolean isBehind() {
    return copy != null && copy.isBehind();
  }

  /** Some server takes more again. */
  void pump() {
    if (copy != null) {
      copy.pump();
    }
  }

  /** Nothing more comes of what was run. */
  void end() {
    if (checked != null) {
      checked.end();
      checked = null;
    }
    if (copy != null) {
      copy.close();
      copy = null;
    }
  }

  /** All servers have the data, or the leader has refused them, or they could not be kept. */
  void copied(Relay relay, char status, ErrorFields why) {
    copy = null;
    Backend home = set.home();
    if (relay.error() == null && isHomeLost()) {
      run.lost(home);
    } else if (relay.error() == null && why != null) {
      run.fail(why);
    } else {
      run.ended(relay, status);
    }
  }

  /** The leader has refused something: what the client is told instead, or null. */
  ErrorFields leaderFailed() {
    if (copy == null) {
      return null;
    }
    copy.leaderFailed();
    return copy.refusal();
  }
}
