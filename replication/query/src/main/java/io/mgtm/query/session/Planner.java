package io.mgtm.query.session;

import io.mgtm.query.sql.Classifier;
import io.mgtm.query.sql.Numbers;
import io.mgtm.query.sql.PreparedText;
import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.Shapes;
import io.mgtm.query.sql.SqlException;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.wire.Frame;
import io.mgtm.query.wire.StartupPacket;
import io.mgtm.query.wire.WireException;
import io.netty.buffer.ByteBuf;
import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Makes {@link Segment}s of a client's messages, and knows its statements and portals. Belongs to a
 * session.
 */
final class Planner {
  private static final int[] NO_TYPES = {};
  private static final int STATEMENTS_MAX = 10_000;
  private static final int EFFECTS_MAX = 1_000;
  private static final int NUMBERED_MAX = 100;

  private Classifier classifier;
  private Shapes shapes = new Shapes();
  private final Map<String, Prepared> statements = new HashMap<>();

  /** What was prepared by SQL. */
  private final Map<String, PreparedText> texts = new HashMap<>();

  /** Of statements that execute one of those, its name. */
  private final Map<String, String> executing = new HashMap<>();

  private final Map<String, Prepared> portals = new HashMap<>();
  private final Map<String, Prepared> effects = new HashMap<>();
  private final Map<String, Numbered.Texts> numbered = new HashMap<>();
  private Charset charset;

  Planner(Classifier classifier, Charset charset) {
    this.classifier = classifier;
    this.charset = charset;
  }

  void setCharset(Charset of) {
    charset = of;
  }

  Charset charset() {
    return charset;
  }

  /** All statements are forgotten, as by DEALLOCATE ALL and DISCARD ALL. */
  void forget() {
    statements.clear();
    texts.clear();
    executing.clear();
    effects.clear();
    numbered.clear();
  }

  /** No transaction is open, with which they have ended. */
  void forgetPortals() {
    portals.clear();
  }

  /** The statement that writes a row by this text. */
  Prepared effect(String sql) {
    if (effects.size() > EFFECTS_MAX) {
      effects.clear();
    }
    return effects.computeIfAbsent(
        sql, text -> Prepared.effect("mgtm effect " + Integer.toHexString(text.hashCode()), text));
  }

  /**
   * A statement of the simple protocol as one with parameters; null if it is to be run as it
   * stands, as when none like it was run before, or too many others were.
   */
  Numbered numbered(Prepared simple) {
    Numbers numbers = numbers(simple);
    Numbered.Texts known = numbers == null ? null : numbered.get(numbers.sql());
    return known == null ? null : known.with(numbers, charset);
  }

  /**
   * A statement was run as it stands: the next one like it may have parameters.
   *
   * @param simple null where it was none of the simple protocol
   */
  void ran(Prepared simple) {
    Numbers numbers = simple == null ? null : numbers(simple);
    if (numbers != null && numbered.size() < NUMBERED_MAX) {
      numbered.put(numbers.sql(), Numbered.Texts.of(numbers));
    }
  }

  private static Numbers numbers(Prepared simple) {
    return simple.statement() == null ? null : simple.statement().numbers();
  }

  /** Servers may know them no more, or may not run them any more. */
  void forgetNumbered() {
    numbered.clear();
  }

  /** Whether there was such a statement. */
  boolean remove(String statement) {
    if (texts.remove(statement) == null) {
      return statements.remove(statement) != null;
    }
    statements.keySet().removeIf(name -> statement.equals(executing.get(name)));
    return true;
  }

  /** PREPARE of SQL: why it cannot be, or null. */
  Refusal prepare(Statement statement) {
    try {
      PreparedText text = PreparedText.of(statement);
      if (texts.containsKey(text.name()) || statements.containsKey(text.name())) {
        return new Refusal(
            "42P05", "prepared statement \"" + text.name() + "\" already exists", "DEALLOCATE it.");
      }
      checkRoom();
      texts.put(text.name(), text);
      return null;
    } catch (SqlException e) {
      return new Refusal("42601", e.getMessage(), "PREPARE name (types) AS statement.");
    }
  }

  /** What EXECUTE of SQL executes, in its place; any other segment as it is. */
  Segment executed(Segment segment) {
    return segment.kind() == Segment.Kind.EXECUTE && segment.simple() != null
        ? Segment.of(executed(segment.simple()))
        : segment;
  }

  private Prepared executed(Prepared execute) {
    String name = PreparedText.nameOf(execute.statement());
    PreparedText text = texts.get(name);
    if (text == null) {
      return unknown(name);
    }
    try {
      return prepare(execute.name(), text.with(execute.statement()), NO_TYPES);
    } catch (SqlException e) {
      Refusal refusal = new Refusal("42601", e.getMessage(), "EXECUTE name (constants).");
      return new Prepared(execute.name(), execute.sql(), NO_TYPES, null, refusal);
    }
  }

  private void checkRoom() {
    if (statements.size() + texts.size() >= STATEMENTS_MAX) {
      throw new WireException(
          WireException.LIMIT_EXCEEDED, "more than " + STATEMENTS_MAX + " prepared statements");
    }
  }

  /** Of a message that is not passed on. */
  static List<Segment> refused(String message, String hint) {
    return List.of(Segment.of(new Prepared("", "", NO_TYPES, null, new Refusal(message, hint))));
  }

  /** Of a Query. */
  List<Segment> simple(Frame frame) {
    String sql = textOf(frame.body());
    List<Segment> segments = new ArrayList<>();
    try {
      for (Statement statement : classifier.statements(sql, shapes)) {
        segments.add(
            Segment.of(
                new Prepared("", statement.text(), NO_TYPES, statement, refusal(statement))));
      }
    } catch (SqlException e) {
      return List.of(Segment.of(new Prepared("", sql, NO_TYPES, null, notRead(e))));
    }
    if (segments.isEmpty()) {
      segments.add(Segment.of(new Prepared("", sql, NO_TYPES, null, null)));
    }
    return segments;
  }

  private static Refusal refusal(Statement statement) {
    return Refusal.of(statement);
  }

  private static Refusal notRead(SqlException e) {
    return new Refusal(
        "the replicator cannot read this statement: " + e.getMessage(),
        "Write it without Unicode escapes (U&), with names of 63 bytes at most, and end strings and comments.");
  }

  private String textOf(ByteBuf body) {
    int bytes = body.bytesBefore((byte) 0);
    if (bytes < 0) {
      throw new WireException(WireException.PROTOCOL_VIOLATION, "a text without its end");
    }
    String text = body.toString(body.readerIndex(), bytes, charset);
    body.skipBytes(bytes + 1);
    return text;
  }

  /** Of the messages up to a Sync or Flush; takes them over. */
  List<Segment> extended(List<Frame> frames) {
    List<Step> all = new ArrayList<>();
    for (Frame frame : frames) {
      all.add(step(frame));
    }
    return segments(all);
  }

  /**
   * Classifies what is known anew, after the schema was changed.
   *
   * @param left what was to be run, which the answer takes the place of
   */
  List<Segment> renew(Classifier by, List<Segment> left) {
    classifier = by;
    shapes = new Shapes();
    effects.clear();
    numbered.clear();
    Map<Prepared, Prepared> renewed = new HashMap<>();
    statements.replaceAll((name, old) -> renewed.computeIfAbsent(old, this::renewed));
    portals.replaceAll(
        (name, old) -> old == null ? null : renewed.computeIfAbsent(old, this::renewed));
    List<Segment> segments = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    for (Segment segment : left) {
      if (segment.simple() != null) {
        segments.add(Segment.of(renewed(segment.simple())));
      }
      for (Step step : segment.steps()) {
        Prepared old = step.prepared();
        Prepared now = old == null ? null : renewed.computeIfAbsent(old, this::renewed);
        steps.add(new Step(step.frame(), now, step.name()));
      }
    }
    segments.addAll(segments(steps));
    return segments;
  }

  /** Of another class, or what it writes may be other columns; else it stays what it is. */
  private Prepared renewed(Prepared old) {
    if (old.sql().isEmpty()) {
      return old;
    }
    Prepared now = prepare(old.name(), old.sql(), old.types());
    boolean same =
        !now.isWrite()
            && !old.isWrite()
            && now.refusal() == null
            && old.refusal() == null
            && now.statementClass() == old.statementClass();
    return same && now.statementClass() != StatementClass.COPY_FROM ? old : now.inPlaceOf(old);
  }

  private static List<Segment> segments(List<Step> all) {
    List<Segment> segments = new ArrayList<>();
    List<Step> steps = new ArrayList<>();
    int executed = 0;
    for (Step step : all) {
      boolean alone =
          step.type() == 'E'
              && step.prepared() != null
              && Segment.kind(step.prepared()) != Segment.Kind.RUN;
      if (alone && executed > 0) {
        segments.add(new Segment(Segment.Kind.RUN, null, steps.subList(0, executed)));
        steps = new ArrayList<>(steps.subList(executed, steps.size()));
      }
      steps.add(step);
      if (alone) {
        segments.add(new Segment(Segment.kind(step.prepared()), null, steps));
        steps = new ArrayList<>();
        executed = 0;
      } else if (step.type() == 'E') {
        executed = steps.size();
      } else if (isRefused(step)) {
        segments.add(new Segment(Segment.Kind.REFUSED, null, steps));
        steps = new ArrayList<>();
        executed = 0;
      }
    }
    if (!steps.isEmpty()) {
      segments.add(new Segment(Segment.Kind.RUN, null, steps));
    }
    return segments;
  }

  private static boolean isRefused(Step step) {
    boolean needs = step.type() == 'P' || step.type() == 'B';
    return needs && step.prepared().refusal() != null;
  }

  private Step step(Frame frame) {
    ByteBuf body = frame.body();
    switch (frame.type()) {
      case 'P' -> {
        Prepared prepared = parse(body);
        if (!statements.containsKey(prepared.name())) {
          checkRoom();
        }
        statements.put(prepared.name(), prepared);
        return new Step(frame, prepared, prepared.name());
      }
      case 'B' -> {
        String portal = StartupPacket.text(body);
        String name = StartupPacket.text(body);
        Prepared known = statements.get(name);
        Prepared prepared = known == null ? unknown(name) : known;
        portals.put(portal, prepared);
        return new Step(frame, prepared, portal);
      }
      case 'E' -> {
        String portal = StartupPacket.text(body);
        Prepared bound = portals.get(portal);
        return new Step(frame, bound == null ? unbound(portal) : bound, portal);
      }
      default -> {
        boolean portal = body.readByte() == 'P';
        String name = StartupPacket.text(body);
        Map<String, Prepared> known = portal ? portals : statements;
        return new Step(frame, frame.type() == 'C' ? known.remove(name) : known.get(name), name);
      }
    }
  }

  /** What a server still knows by that name is not run, as nobody knows what it would do. */
  private static Prepared unknown(String name) {
    String message = "prepared statement \"" + name + "\" does not exist";
    return new Prepared(
        name, "", NO_TYPES, null, new Refusal("26000", message, "Prepare it again."));
  }

  /** It may be a cursor that a function has opened, of which nobody knows what it would do. */
  private static Prepared unbound(String portal) {
    String message = "portal \"" + portal + "\" does not exist";
    return new Prepared(
        "", "", NO_TYPES, null, new Refusal("34000", message, "Bind it, or FETCH from a cursor."));
  }

  private Prepared parse(ByteBuf body) {
    String name = StartupPacket.text(body);
    String sql = textOf(body);
    int[] types = new int[body.readUnsignedShort()];
    for (int i = 0; i < types.length; i++) {
      types[i] = body.readInt();
    }
    Prepared prepared = prepare(name, sql, types);
    if (prepared.statementClass() != StatementClass.EXECUTE) {
      executing.remove(name);
      return prepared;
    }
    executing.put(name, PreparedText.nameOf(prepared.statement()));
    return executed(prepared);
  }

  private Prepared prepare(String name, String sql, int[] types) {
    try {
      List<Statement> all = classifier.statements(sql, shapes);
      if (all.size() > 1) {
        // The server refuses it as well, in its own words.
        return new Prepared(name, sql, types, null, null);
      }
      Statement statement = all.isEmpty() ? null : all.get(0);
      return new Prepared(
          name, sql, types, statement, statement == null ? null : refusal(statement));
    } catch (SqlException e) {
      return new Prepared(name, sql, types, null, notRead(e));
    }
  }
}
