package io.mgtm.query.session;

import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.WireException;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a client has sent and what was not run yet, and the messages up to the next Sync. Belongs to
 * a session.
 */
final class ClientInput {
  private static final int AGAIN_MS = 10;

  private final ReplicatedSession session;
  private final ArrayDeque<Frame> input = new ArrayDeque<>();
  private final List<Frame> batch = new ArrayList<>();
  private long inputBytes;
  private long batchBytes;
  private boolean pumping;

  /** Until it is known that this replicator leads. */
  private boolean waiting;

  ClientInput(ReplicatedSession session) {
    this.session = session;
  }

  void add(Frame frame) {
    input.add(frame);
    inputBytes += frame.content().readableBytes();
    pump();
  }

  boolean isEmpty() {
    return input.isEmpty() && batch.isEmpty();
  }

  /** What waits to be run. */
  long bytes() {
    return inputBytes;
  }

  void release() {
    input.forEach(ReferenceCountUtil::release);
    input.clear();
    batch.forEach(ReferenceCountUtil::release);
    batch.clear();
  }

  void pump() {
    if (pumping) {
      return;
    }
    pumping = true;
    try {
      while (session.takesMore() && !input.isEmpty() && mayBegin()) {
        Frame frame = input.poll();
        inputBytes -= frame.content().readableBytes();
        handle(frame);
      }
    } catch (WireException e) {
      session.end(ErrorFields.fatal(e.sqlState(), e.getMessage()));
    } finally {
      pumping = false;
    }
    session.updateReading();
  }

  /** Another replicator may order by now, and may have put out a server that would be read. */
  private boolean mayBegin() {
    if (session.shared().commits().holdsLease()) {
      return true;
    }
    if (!waiting) {
      waiting = true;
      session.loop().schedule(this::pumpAgain, AGAIN_MS, TimeUnit.MILLISECONDS);
    }
    return false;
  }

  private void pumpAgain() {
    waiting = false;
    pump();
  }

  private void handle(Frame frame) {
    if (session.copying() != null) {
      session.copying().take(frame);
      return;
    }
    switch (frame.type()) {
      case 'P', 'B', 'D', 'E', 'C' -> {
        batch.add(frame);
        batchBytes += frame.content().readableBytes();
        if (batchBytes > session.shared().config().limits().messageBytesMax()) {
          throw new WireException(
              WireException.LIMIT_EXCEEDED,
              "messages before Sync have more than %d bytes: raise limits.messageBytesMax"
                  .formatted(session.shared().config().limits().messageBytesMax()));
        }
      }
      case 'Q' -> {
        if (!batch.isEmpty()) {
          input.addFirst(frame);
          inputBytes += frame.content().readableBytes();
          session.run(takeBatch(), false);
          return;
        }
        try {
          session.run(session.planner().simple(frame), true);
        } finally {
          frame.release();
        }
      }
      case 'S', 'H' -> {
        boolean sync = frame.type() == 'S';
        frame.release();
        if (sync || !batch.isEmpty()) {
          session.run(takeBatch(), sync);
        }
      }
      case 'F' -> {
        frame.release();
        session.run(
            Planner.refused("function calls by number are not replicated", "Use SELECT."), true);
      }
      case 'X' -> {
        frame.release();
        session.end(null);
      }
      // What was sent for a COPY FROM that is over is dropped, as PostgreSQL does.
      default -> frame.release();
    }
  }

  private List<Segment> takeBatch() {
    List<Segment> segments = session.planner().extended(batch);
    batch.clear();
    batchBytes = 0;
    return segments;
  }
}
