package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.Difference;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Gives the data of a COPY to one of the other servers, as fast as it takes them. One that takes
 * nothing for too long is put out. Belongs to a session.
 */
final class CopyOut implements Answer {
  private static final int CHUNK_BYTES = 64 * 1024;

  private final ReplicatedSession session;
  private final Backend backend;
  private final Spools.Spool spool;
  private final String tag;
  private final long withinMs;
  private Runnable done = () -> {};
  private Future<?> late;
  private Doubts.Given given;
  private Difference wrong;
  private ErrorFields refused;
  private boolean asked;
  private boolean reading;
  private boolean over;
  private boolean answered;

  /** The data cannot be read, which is not its fault: nobody commits them. */
  private boolean unread;

  private long sent;

  /**
   * One that has not begun.
   *
   * @param tag what the leader has answered
   * @param withinMs how long it may take nothing, or not answer
   */
  CopyOut(
      ReplicatedSession session, Backend backend, Spools.Spool spool, String tag, long withinMs) {
    this.session = session;
    this.backend = backend;
    this.spool = spool;
    this.tag = tag;
    this.withinMs = withinMs;
  }

  Backend backend() {
    return backend;
  }

  /** Why it cannot take the data, where another version may be the reason; or null. */
  ErrorFields refused() {
    return refused;
  }

  /** Begins; {@code then} is called when it has taken all, or is out. */
  void start(String sql, Runnable then) {
    done = then;
    given = session.set().doubts().next();
    watch();
    backend.node().effects().increment();
    backend.ask(sql, session.planner().charset(), this);
  }

  private void watch() {
    close();
    late =
        session
            .loop()
            .schedule(
                () -> session.set().late(backend, "took no data of a COPY for " + withinMs + " ms"),
                withinMs,
                TimeUnit.MILLISECONDS);
  }

  /** Sends as much as the connection takes. */
  void pump() {
    if (!asked || over || reading || backend.isGone() || !backend.channel().isWritable()) {
      return;
    }
    if (sent == spool.size()) {
      over = true;
      backend.channel().writeAndFlush(Messages.empty(backend.alloc(), 'c'));
      return;
    }
    int count = (int) Math.min(CHUNK_BYTES, spool.size() - sent);
    ByteBuf chunk = backend.alloc().buffer(Frame.HEADER_BYTES + count);
    chunk.writeByte('d').writeInt(count + Integer.BYTES);
    reading = true;
    spool.read(sent, count, chunk, this::send);
  }

  private void send(ByteBuf chunk, IOException why) {
    reading = false;
    if (over || answered || backend.isGone()) {
      if (chunk != null) {
        chunk.release();
      }
      return;
    }
    if (chunk == null) {
      over = true;
      unread = true;
      backend.channel().writeAndFlush(Messages.copyFail(backend.alloc(), why.getMessage()));
      return;
    }
    sent += chunk.readableBytes() - Frame.HEADER_BYTES;
    backend.channel().writeAndFlush(chunk);
    watch();
    pump();
  }

  @Override
  public void take(Frame frame) {
    switch (frame.type()) {
      case 'G' -> {
        asked = true;
        pump();
      }
      case 'E' -> {
        over = true;
        wrong = Difference.failed(ErrorFields.read(frame.body()));
      }
      case 'C' -> {
        String got = StartupPacket.text(frame.body());
        wrong = got.equals(tag) ? null : Difference.answered(got, tag);
      }
      default -> {
        // Notices.
      }
    }
    frame.release();
  }

  @Override
  public void ready(char status) {
    answered = true;
    close();
    if (wrong != null && !unread && session.set().readers().isFar(backend)) {
      refused = wrong.ofVersion(backend.node());
    } else if (wrong != null && !unread) {
      given.doubt(backend, wrong);
    }
    done.run();
  }

  @Override
  public void lost() {
    answered = true;
    close();
    done.run();
  }

  /** Is no longer watched. */
  void close() {
    if (late != null) {
      late.cancel(false);
    }
  }
}
