package io.mgtm.query.session;

import io.mgtm.query.wire.ErrorFields;
import java.util.Set;

/**
 * One read at a server of another major version than the leader's. What it refuses for what it is,
 * as it may lack a function or read a value in another way, the leader is asked, so that a client
 * is told the same wherever it reads. Belongs to a session.
 */
final class FarRead {
  /** What is not there, not read or not allowed; not what was canceled, or lacks room. */
  private static final Set<String> CLASSES = Set.of("0A", "22", "42");

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Backend reader;
  private final Segment segment;
  private final UnitOutput output;
  private boolean taken;

  FarRead(ReplicatedSession session, UnitRun run, Backend reader, Segment segment) {
    this.session = session;
    this.run = run;
    this.reader = reader;
    this.segment = segment;
    this.output = run.output();
  }

  void start() {
    output.beginTrial();
    run.sender().send(reader, segment, this::answered);
  }

  /** Whether an error of the server's is not for the client. */
  boolean takes(ErrorFields error) {
    taken = output.isTrial() && CLASSES.contains(error.sqlState().substring(0, 2));
    return taken;
  }

  private void answered(Relay relay, char status) {
    run.awaited().readFar();
    if (taken) {
      output.dropTrial();
      run.sender().send(session.set().chosen(), segment, run::ended);
    } else {
      output.endTrial();
      run.ended(relay, status);
    }
  }

  /** Its server is out. */
  void end() {
    output.dropTrial();
  }
}
