package io.mgtm.query.session;

import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.wire.Messages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.Charset;

/** Writes a segment to a server, with what that server has to know first. Belongs to a session. */
final class SegmentSender {
  private final ReplicatedSession session;
  private final UnitRun run;

  SegmentSender(ReplicatedSession session, UnitRun run) {
    this.session = session;
    this.run = run;
  }

  /** Whether it executes a portal whose parameters are not known any more. */
  boolean lacksBind(Segment segment) {
    return segment.steps().stream()
        .anyMatch(
            step ->
                step.type() == 'E'
                    && step.prepared() != null
                    && (step.prepared().isWrite() || step.prepared().isTemporary())
                    && run.binds().of(step) == null);
  }

  void send(Backend backend, Segment segment, UnitRun.Ended ended) {
    if (session.set().home() != null) {
      session.set().redo().runs(segment);
    }
    write(backend, segment, ended);
    if (segment.mayRunCode()) {
      session.codeRuns();
    }
  }

  private void write(Backend backend, Segment segment, UnitRun.Ended ended) {
    Charset charset = session.planner().charset();
    // A request to cancel that is late is not to hit what the server is asked next.
    UnitRun.Ended uncancelled =
        (answered, status) -> session.cancels().whenNone(() -> ended.ended(answered, status));
    Relay relay = new Relay(run, backend, segment, new Effects(charset), uncancelled);
    backend.hold(segment.hasRows());
    session.runsAt(backend);
    if (segment.simple() != null) {
      Numbered numbered = session.planner().numbered(segment.simple());
      if (numbered == null) {
        backend.ask(segment.simple().text(), charset, relay);
      } else {
        send(backend, numbered, !segment.isWrite(), relay);
      }
      return;
    }
    ByteBuf out = backend.alloc().buffer();
    boolean whole = segment.kind() == Segment.Kind.CHECKED;
    for (Step step : segment.steps()) {
      write(backend, step, whole, out, relay);
    }
    // In COPY the leader passes over a Sync, or it does not when it fails first: it comes after.
    char end = segment.kind() == Segment.Kind.COPY ? 'H' : 'S';
    Effects.append(out, Messages.empty(backend.alloc(), end));
    backend.ask(out, relay);
  }

  private void send(Backend backend, Numbered numbered, boolean reads, Relay relay) {
    ByteBuf out = backend.alloc().buffer();
    Prepared leader = numbered.leader();
    need(backend, leader, out, relay);
    if (backend.prepared().containsKey("")) {
      // As a Query does; what the client binds of it afterwards is to fail.
      Effects.append(out, Messages.closeStatement(backend.alloc(), ""));
      relay.expect('C', null, null);
    }
    ByteBuf values = numbered.values().duplicate();
    Effects.append(out, Messages.bind(backend.alloc(), "", leader.name(), values));
    relay.expect('B', leader, null);
    if (reads) {
      Effects.append(out, Messages.describePortal(backend.alloc(), ""));
    }
    Effects.append(out, Messages.execute(backend.alloc(), ""));
    // In a transaction it would keep its snapshot, and its table from changes.
    Effects.append(out, Messages.closePortal(backend.alloc(), ""));
    Effects.append(out, Messages.empty(backend.alloc(), 'S'));
    relay.runsAs(numbered);
    backend.ask(out, relay);
  }

  private void write(Backend backend, Step step, boolean whole, ByteBuf out, Relay relay) {
    Prepared prepared = step.prepared();
    switch (step.type()) {
      case 'P' -> {
        // It may know this very one, where it is run again.
        closeOld(backend, prepared, out, relay);
        Effects.append(out, Effects.parse(backend, prepared, session.planner().charset()));
        relay.expect('P', prepared, step);
      }
      case 'B' -> {
        session.set().cursors().forget(step.name());
        need(backend, prepared, out, relay);
        RowWrite rows = step.rows();
        if (rows == null) {
          copy(step, out);
        } else {
          bindRows(backend, step, rows, out);
        }
        relay.expect('B', prepared, step);
      }
      case 'D' -> {
        if (!step.isOfPortal()) {
          need(backend, prepared, out, relay);
        }
        copy(step, out);
        relay.expect('D', prepared, step);
      }
      case 'E' -> {
        if (step.rows() == null && !whole) {
          copy(step, out);
        } else {
          Effects.append(out, Messages.execute(backend.alloc(), step.name()));
        }
        relay.expect('E', prepared, step);
      }
      default -> {
        copy(step, out);
        if (step.isOfPortal()) {
          session.set().cursors().forget(step.name());
        } else {
          backend.prepared().remove(step.name());
        }
        relay.expect('C', prepared, step);
      }
    }
  }

  private static void copy(Step step, ByteBuf out) {
    ByteBuf content = step.frame().content();
    out.writeBytes(content, content.readerIndex(), content.readableBytes());
  }

  /** A statement that this server has not been given yet. */
  private void need(Backend backend, Prepared prepared, ByteBuf out, Relay relay) {
    boolean coming = relay.isComing(prepared);
    if (prepared == null || coming || backend.prepared().get(prepared.name()) == prepared) {
      return;
    }
    closeOld(backend, prepared, out, relay);
    Effects.append(out, Effects.parse(backend, prepared, session.planner().charset()));
    relay.expect('P', prepared, null);
    if (prepared.columns().areTold() && !run.awaited().isFar()) {
      Effects.append(out, Messages.describeStatement(backend.alloc(), prepared.name()));
      relay.expect('D', prepared, null);
    }
  }

  private static void closeOld(Backend backend, Prepared prepared, ByteBuf out, Relay relay) {
    if (!prepared.name().isEmpty() && backend.prepared().remove(prepared.name()) != null) {
      Effects.append(out, Messages.closeStatement(backend.alloc(), prepared.name()));
      relay.expect('C', prepared, null);
    }
  }

  /** The client's own columns keep their formats; the added ones are texts, or all are alike. */
  private static void bindRows(Backend backend, Step step, RowWrite rows, ByteBuf out) {
    ByteBuf rest = step.afterNames();
    int[] formats = rows.returning() ? Step.resultFormats(rest) : new int[0];
    int own = rows.returning() ? formats.length : 0;
    int codes = own > 1 ? own + rows.added() : own;
    int oldBytes = Short.BYTES * (1 + Step.resultFormats(rest).length);
    ByteBuf body = Unpooled.buffer();
    body.writeBytes(rest, rest.readerIndex(), rest.readableBytes() - oldBytes);
    body.writeShort(codes);
    for (int i = 0; i < codes; i++) {
      body.writeShort(i < own ? formats[i] : 0);
    }
    String statement = step.prepared().name();
    Effects.append(out, Messages.bind(backend.alloc(), step.name(), statement, body));
  }
}
