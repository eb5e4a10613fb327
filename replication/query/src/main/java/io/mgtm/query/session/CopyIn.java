package io.mgtm.query.session;

import io.mgtm.query.sql.ClockScan;
import io.mgtm.query.sql.CopyFrom;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * One COPY FROM STDIN. Its data go to the leader and into a spool; when the leader has taken them
 * all, the others are given them, and then the statement has its answer. Belongs to a session.
 */
final class CopyIn {
  private static final String WAITS = "the data of COPY cannot be kept for the other servers: ";

  private final ReplicatedSession session;
  private final UnitRun run;
  private final Segment segment;

  /**
   * Null where the others are not given data: as of a temporary table, or where rows are captured.
   */
  private final CopyFrom copy;

  private final Backend leader;
  private final ClockScan scan;
  private final List<CopyOut> others = new ArrayList<>();
  private final long beganNanos = System.nanoTime();
  private Spools.Spool spool;

  /** The data as long as the log can have them; else null. */
  private ByteBuf kept = Unpooled.buffer();

  private boolean taking;
  private boolean ended;
  private boolean closed;
  private int leftOfMessage;
  private ErrorFields refusal;

  CopyIn(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.segment = segment;
    this.copy = segment.command().statement().copy();
    this.leader = session.set().home();
    this.scan = copy == null ? null : new ClockScan(copy);
  }

  /** Whether what the client sends is its data. */
  boolean isTaking() {
    return taking;
  }

  boolean isExtended() {
    return segment.simple() == null;
  }

  /** Whether more is on its way to the disk than may be. */
  boolean isBehind() {
    return spool != null
        && spool.unwritten() > session.shared().config().limits().outboundBytesMax();
  }

  /** What the client is told rather than the leader's error; or null. */
  ErrorFields refusal() {
    return refusal;
  }

  /** The leader asks for the data. */
  void begin() {
    taking = true;
    if (copy == null) {
      kept = null;
    } else if (session.set().live().size() > 1) {
      spool = session.shared().spools().open(session.loop());
    }
  }

  // ---- from the client to the leader -----------------------------------------------------------

  /** A message of the client's, while data are taken. */
  void take(Frame frame) {
    switch (frame.type()) {
      case 'd' -> {
        data(frame.content());
        frame.release();
      }
      case 'c' -> {
        frame.release();
        if (scan != null && scan.end()) {
          refuseClock();
        } else {
          end(Messages.empty(leader.alloc(), 'c'));
        }
      }
      case 'f' -> end(frame.content());
      // As PostgreSQL does.
      case 'S', 'H' -> frame.release();
      case 'X' -> {
        frame.release();
        session.end(null);
      }
      default -> {
        frame.release();
        refuse(
            ErrorFields.error(
                "08P01", "a message of type %c during COPY from stdin".formatted(frame.type())));
      }
    }
  }

  private void data(ByteBuf in) {
    ByteBuf out = leader.alloc().buffer(Frame.HEADER_BYTES + in.readableBytes());
    out.writeByte('d').writeInt(0);
    while (in.isReadable()) {
      if (leftOfMessage == 0) {
        in.skipBytes(1);
        leftOfMessage = in.readInt() - Integer.BYTES;
      }
      int count = Math.min(leftOfMessage, in.readableBytes());
      out.writeBytes(in, count);
      leftOfMessage -= count;
    }
    int bytes = out.readableBytes() - Frame.HEADER_BYTES;
    out.setInt(1, bytes + Integer.BYTES);
    boolean clock =
        scan != null
            && scan.isNeeded()
            && out.forEachByte(Frame.HEADER_BYTES, bytes, b -> !scan.next(b)) >= 0;
    if (clock) {
      out.release();
      refuseClock();
      return;
    }
    if (kept != null) {
      boolean few = kept.readableBytes() + bytes <= Redo.BYTES_MAX;
      kept = few ? kept.writeBytes(out, Frame.HEADER_BYTES, bytes) : null;
    }
    if (spool != null) {
      IOException why =
          spool.append(out.retainedSlice(Frame.HEADER_BYTES, bytes), session::updateReading);
      if (why != null) {
        out.release();
        refuse(full(why));
        return;
      }
    }
    leader.channel().writeAndFlush(out);
  }

  private static ErrorFields full(IOException why) {
    return ErrorFields.error("53100", WAITS + why.getMessage())
        .withHint("Copy less at a time, or raise limits.spoolBytesMax.");
  }

  private void refuseClock() {
    refuse(
        ErrorFields.error(
                "0A000",
                "the data may name the moment in which they are read, as the word now does")
            .withHint("Write dates and times as numbers."));
  }

  private void refuse(ErrorFields why) {
    refusal = why;
    end(Messages.copyFail(leader.alloc(), why.message()));
  }

  private void end(ByteBuf last) {
    taking = false;
    leader.channel().write(last);
    sync();
  }

  /** The leader reads the extended protocol's messages up to this one, whatever they are. */
  private void sync() {
    if (!ended && isExtended()) {
      leader.channel().write(Messages.empty(leader.alloc(), 'S'));
    }
    ended = true;
    leader.channel().flush();
  }

  /** The leader has refused the command or the data. */
  void leaderFailed() {
    taking = false;
    sync();
  }

  // ---- to the others ---------------------------------------------------------------------------

  /** The leader's answer is whole. */
  void leaderAnswered(Relay relay, char status) {
    session.runsAt(null);
    IOException unkept = spool == null ? null : spool.failed();
    if (relay.error() != null || unkept != null) {
      close();
      run.awaited().copied(relay, status, unkept == null ? null : full(unkept));
      return;
    }
    if (copy == null) {
      close();
      run.awaited().copied(relay, status, null);
      return;
    }
    if (!session.schema().isCurrent()) {
      close();
      run.awaited().end();
      run.awaited().untold();
      run.schemaMoved();
      return;
    }
    session
        .set()
        .redo()
        .copy(
            copy.othersSql(),
            session.planner().charset(),
            kept,
            relay.tag(),
            session.settings().query());
    if (spool == null) {
      close();
      run.awaited().copied(relay, status, null);
      return;
    }
    long leaderMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    long withinMs = session.shared().config().timeouts().applyMs() + leaderMs;
    for (Backend other : session.set().live()) {
      if (other != leader) {
        others.add(new CopyOut(session, other, spool, relay.tag(), withinMs));
      }
    }
    int[] left = {others.size() + 1};
    Runnable one =
        () -> {
          left[0]--;
          if (left[0] == 0 && !closed) {
            IOException why = spool.failed();
            close();
            run.awaited().copied(relay, status, why == null ? refused() : full(why));
          }
        };
    for (CopyOut other : List.copyOf(others)) {
      session.set().join(other.backend());
      other.start(copy.othersSql(), one);
    }
    one.run();
  }

  /** Why one of the others cannot take them, or null. */
  private ErrorFields refused() {
    return others.stream().map(CopyOut::refused).filter(Objects::nonNull).findFirst().orElse(null);
  }

  /** Some server takes more again. */
  void pump() {
    others.forEach(CopyOut::pump);
  }

  /** Nothing more comes of it. */
  void close() {
    closed = true;
    taking = false;
    others.forEach(CopyOut::close);
    if (spool != null) {
      spool.close();
    }
  }
}
