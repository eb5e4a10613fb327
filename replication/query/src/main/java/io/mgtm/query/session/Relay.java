package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.RowWrite;
import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.wire.ErrorFields;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.Messages;
import io.mgtm.query.wire.Rows;
import io.mgtm.query.wire.StartupPacket;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Set;

/**
 * Passes what a server answers to a segment on to the client, but what the client did not ask for:
 * rows that tell what was written become effects. Belongs to a session.
 */
final class Relay implements Answer {
  /**
   * A message of the extended protocol that will be answered.
   *
   * @param step null when the replicator added it
   */
  record Expected(char type, Prepared prepared, Step step) {}

  /** A plan that may not be made anew with other types; a statement that is not there. */
  private static final Set<String> OUTDATED = Set.of("0A000", "26000");

  /** A column that is not there. */
  private static final String NO_COLUMN = "42703";

  private final UnitRun run;
  private final Backend backend;
  private final Segment segment;
  private final ArrayDeque<Expected> expected = new ArrayDeque<>();
  private final Effects effects;
  private final UnitRun.Ended ended;

  /** What the simple statement runs as, or null. */
  private Numbered numbered;

  private ErrorFields error;
  private boolean outdated;

  /** Whether a statement has other columns than its client was told, and what follows is void. */
  private boolean changed;

  private String tag;
  private boolean keyChanged;
  private boolean suspended;

  /** Whether the others are to be told what was drawn from sequences. */
  private boolean draws;

  private final long sentNanos = System.nanoTime();

  Relay(UnitRun run, Backend backend, Segment segment, Effects effects, UnitRun.Ended ended) {
    this.run = run;
    this.backend = backend;
    this.segment = segment;
    this.effects = effects;
    this.ended = ended;
    this.draws = segment.draws();
  }

  Segment segment() {
    return segment;
  }

  /** Code of users has run, which may have drawn from sequences. */
  void ranCode() {
    draws = true;
  }

  /** Whether it may have drawn from sequences and nobody has asked for that yet. */
  boolean takeDraws() {
    boolean taken = draws;
    draws = false;
    return taken;
  }

  void expect(char type, Prepared prepared, Step step) {
    expected.add(new Expected(type, prepared, step));
  }

  /** The simple statement runs with parameters. */
  void runsAs(Numbered with) {
    numbered = with;
  }

  /** Whether a statement is prepared in this very request. */
  boolean isComing(Prepared prepared) {
    Prepared last = null;
    for (Expected one : expected) {
      boolean named = one.type == 'P' && prepared != null;
      last = named && one.prepared.name().equals(prepared.name()) ? one.prepared : last;
    }
    return prepared != null && last == prepared;
  }

  ErrorFields error() {
    return error;
  }

  /**
   * Whether what the replicator made of it cannot be run any more, as after another session has
   * changed a column's type, or dropped a column that the client does not name; the client is not
   * told.
   */
  boolean isOutdated() {
    return outdated;
  }

  private boolean isOutdated(ErrorFields by) {
    if (run.awaited().isFar()) {
      return false;
    }
    return numbered != null
        ? OUTDATED.contains(by.sqlState())
        : segment.hasRows() && NO_COLUMN.equals(by.sqlState()) && run.awaited().isSchemaMoved();
  }

  /** What the client is told where it cannot be run again. */
  ErrorFields whyOutdated() {
    return numbered == null ? AwaitedRun.SCHEMA_MOVED : error;
  }

  /** The statement of a Query, which ran as it stands; or null. */
  Prepared text() {
    return numbered == null ? segment.simple() : null;
  }

  String tag() {
    return tag;
  }

  /** How long it has run. */
  long nanos() {
    return System.nanoTime() - sentNanos;
  }

  /** Whether a portal has more rows to give. */
  boolean isSuspended() {
    return suspended;
  }

  /** Whether a trigger has changed the key of a row. */
  boolean isKeyChanged() {
    return keyChanged;
  }

  Effects effects() {
    return effects;
  }

  /** Whether a statement has other columns than its client was told; it is not told of it yet. */
  boolean isChanged() {
    return changed;
  }

  @Override
  public void take(Frame frame) {
    Expected next = expected.peek();
    boolean own = next != null && next.type == 'D' && next.step == null;
    if (own && "tTn".indexOf(frame.type()) >= 0) {
      compare(next.prepared, frame);
      return;
    }
    if (changed) {
      passOver(frame);
      return;
    }
    run.awaited().answers(frame.type());
    switch (frame.type()) {
      case 'E' -> failed(frame);
      case '1', '2', '3' -> acknowledged(frame);
      case 'T' -> described(frame);
      case 'n', 'I', 's' -> {
        suspended |= frame.type() == 's';
        expected.poll();
        run.forward(frame.content());
      }
      case 'D' -> row(frame);
      case 'C' -> completed(frame);
      case 'G' -> run.awaited().copyBegins(frame);
      default -> run.forward(frame.content());
    }
  }

  /** What the replicator asked for, as this server is given the statement later than another. */
  private void compare(Prepared prepared, Frame frame) {
    if (frame.type() != 't') {
      expected.poll();
      String now = frame.type() == 'n' ? "" : columns(prepared.rows(), frame);
      if (!changed && !prepared.columns().are(now)) {
        changed = true;
        error = ToldColumns.CHANGED;
        backend.prepared().put(prepared.name(), Prepared.NOT_KNOWN);
        run.awaited().answers('E');
      }
    }
    frame.release();
  }

  /** Those that are the client's. */
  private static String columns(RowWrite rows, Frame description) {
    return Rows.columns(description.body(), rows == null ? 0 : rows.added());
  }

  /** What is not for the client any more, but says what the server knows. */
  private void passOver(Frame frame) {
    switch (frame.type()) {
      case '1', '2', '3' -> acknowledged(frame);
      case 'T', 'n', 'I', 's', 'C' -> {
        expected.poll();
        frame.release();
      }
      default -> frame.release();
    }
  }

  private void failed(Frame frame) {
    boolean first = error == null;
    error = first ? ErrorFields.read(frame.body()) : error;
    outdated |= first && isOutdated(error);
    if (first && !outdated) {
      run.awaited().error(segment, error, frame);
    } else {
      frame.release();
    }
  }

  private void acknowledged(Frame frame) {
    Expected one = expected.poll();
    if (one != null && one.type == 'P') {
      backend.prepared().put(one.prepared.name(), one.prepared);
    }
    if (one == null || one.step == null || changed) {
      frame.release();
    } else {
      run.forward(frame.content());
    }
  }

  private RowWrite rows() {
    Prepared prepared = segment.simple();
    if (prepared == null) {
      prepared = expected.isEmpty() ? null : expected.peek().prepared;
    }
    return prepared == null ? null : prepared.rows();
  }

  private void described(Frame frame) {
    RowWrite rows = rows();
    boolean extended = segment.simple() == null;
    Prepared described = extended && !expected.isEmpty() ? expected.peek().prepared : null;
    if (described != null && !described.columns().areTold()) {
      described.columns().tell(columns(rows, frame), Rows.typed(frame.body()));
    }
    if (rows == null) {
      run.forward(frame.content());
    } else if (rows.returning()) {
      run.forward(Rows.withoutLast(backend.alloc(), frame, rows.added()));
      frame.release();
    } else {
      frame.release();
      if (extended) {
        run.forward(Messages.empty(backend.alloc(), 'n'));
      }
    }
    if (extended) {
      expected.poll();
    }
  }

  private void row(Frame frame) {
    RowWrite rows = rows();
    if (rows == null) {
      run.forward(frame.content());
      return;
    }
    var values = Rows.values(frame.body());
    int own = values.size() - rows.added();
    int format = segment.simple() == null ? run.binds().formatOf(expected.peek().step) : 0;
    effects.row(run.effect(rows), rows, format, values.subList(own, own + rows.columns().size()));
    keyChanged |= rows.keyTold() && !isTrue(values.get(values.size() - 1));
    if (rows.returning()) {
      run.forward(Rows.withoutLast(backend.alloc(), frame, rows.added()));
    }
    frame.release();
  }

  /** As a text, or binary. */
  private static boolean isTrue(ByteBuf flag) {
    byte value = flag.getByte(flag.readerIndex());
    return value == 't' || value == 1;
  }

  private void completed(Frame frame) {
    tag = StartupPacket.text(frame.body());
    Expected one = expected.poll();
    Prepared prepared = one == null ? segment.simple() : one.prepared;
    // Where the leader found no row it locked none: another transaction may have made it since.
    boolean same =
        prepared != null
            && prepared.statementClass() == StatementClass.KEY_LOCAL
            && prepared.rows() == null
            && !tag.endsWith(" 0");
    if (same && numbered != null) {
      effects.same(numbered.others(), numbered.values(), tag);
    } else if (same && one == null) {
      effects.text(prepared.others(), tag);
    } else if (same) {
      effects.same(prepared.others(), run.binds().of(one.step).afterNames(), tag);
    }
    if (prepared != null && prepared.statementClass() == StatementClass.CREATE_AS) {
      // It is told when the others have it.
      frame.release();
    } else {
      run.forward(frame.content());
    }
  }

  /** After an error a server passes over what follows: it still knows what it was to close. */
  private void passedOver(Expected one) {
    if (one.type == 'C' && one.prepared != null && (one.step == null || !one.step.isOfPortal())) {
      String name = one.prepared.name();
      backend.prepared().putIfAbsent(name, Prepared.effect(name, ""));
    }
  }

  @Override
  public void ready(char status) {
    expected.forEach(this::passedOver);
    ended.ended(this, status);
  }

  @Override
  public void lost() {
    run.lost(backend);
  }
}
