package io.mgtm.query.session;

import io.mgtm.query.sql.Refusal;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.sql.StatementClass;
import io.mgtm.query.sql.TransactionCommand;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A part of what a client sends up to its Sync, that runs at one server as one request.
 *
 * @param simple a statement of the simple protocol, or null
 * @param steps messages of the extended protocol, or empty
 */
record Segment(Kind kind, Prepared simple, List<Step> steps) {
  /** How it is run. */
  enum Kind {
    /** Reads and writes. */
    RUN,
    /** One command of class TRANSACTION. */
    CONTROL,
    /** One command of class SESSION, for all servers, or OWN, for none. */
    SESSION,
    /** EXECUTE of SQL, in whose place comes what it executes. */
    EXECUTE,
    /** One command of class MAINTENANCE, for all servers. */
    MAINTENANCE,
    /** One query that is run read-only, lest it writes. */
    UNPROVEN,
    /** One COPY FROM STDIN. */
    COPY,
    /** One write that is looked at before it is answered. */
    CHECKED,
    /** One that runs the query of a cursor. */
    FETCH,
    /** One change of the schema. */
    DDL,
    /** One of temporary tables, which may change what names mean. */
    TEMPORARY,
    REFUSED
  }

  private static final Set<String> CURSORS = Set.of("declare", "fetch", "move", "close");

  Segment {
    steps = List.copyOf(steps);
  }

  static Segment of(Prepared simple) {
    return new Segment(kind(simple), simple, List.of());
  }

  static Kind kind(Prepared prepared) {
    if (prepared.refusal() != null) {
      return Kind.REFUSED;
    }
    return switch (prepared.statementClass()) {
      case TRANSACTION -> Kind.CONTROL;
      case SESSION -> isShow(prepared) ? Kind.RUN : Kind.SESSION;
      case OWN -> Kind.SESSION;
      case EXECUTE -> Kind.EXECUTE;
      case UNPROVEN_READ -> Kind.UNPROVEN;
      case COPY_FROM -> Kind.COPY;
      case CHECKED_ROWS, LINKED_ROWS -> Kind.CHECKED;
      case CAPTURED -> isCopy(prepared) ? Kind.COPY : Kind.CHECKED;
      case DDL, CREATE_AS -> Kind.DDL;
      case TEMPORARY -> temporary(prepared.statement().word(0));
      case MAINTENANCE -> Kind.MAINTENANCE;
      case LEADER -> Cursors.runs(prepared.statement()) ? Kind.FETCH : Kind.RUN;
      default -> Kind.RUN;
    };
  }

  private static Kind temporary(String verb) {
    return switch (verb) {
      case "insert", "update", "delete", "merge" -> Kind.RUN;
      case "copy" -> Kind.COPY;
      default -> Kind.TEMPORARY;
    };
  }

  private static boolean isCopy(Prepared prepared) {
    return prepared.statement().word(0).equals("copy");
  }

  private static boolean isShow(Prepared prepared) {
    return prepared.statement().word(0).equals("show");
  }

  /** The same, as a write. */
  Segment asWrite() {
    return new Segment(Kind.CHECKED, simple, steps);
  }

  /** Whether all that it executes is bound in it, so that it can be run a second time. */
  boolean isWhole() {
    return steps.stream()
        .filter(step -> step.type() == 'E')
        .allMatch(
            execute ->
                steps.stream().anyMatch(s -> s.type() == 'B' && s.name().equals(execute.name())));
  }

  /** The statements that it names. */
  Stream<Prepared> all() {
    return simple != null
        ? Stream.of(simple)
        : steps.stream().filter(step -> step.prepared() != null).map(Step::prepared);
  }

  /** The statements that it executes. */
  Stream<Prepared> executed() {
    return simple != null
        ? Stream.of(simple)
        : steps.stream()
            .filter(step -> step.type() == 'E' && step.prepared() != null)
            .map(Step::prepared);
  }

  boolean isWrite() {
    return kind == Kind.COPY
        || kind == Kind.CHECKED
        || kind == Kind.DDL
        || (kind == Kind.RUN && all().anyMatch(Prepared::isWrite));
  }

  /** Whether its own text draws from sequences, or sets them. */
  boolean draws() {
    return executed().anyMatch(Prepared::draws);
  }

  /** Whether it is answered when its transaction is committed, where none is open. */
  boolean isAwaited() {
    return isWrite() || draws() || executed().anyMatch(Prepared::holdsCursor);
  }

  /** Whether it begins a transaction that may write, where none is open. */
  boolean begins() {
    return kind == Kind.CONTROL
        ? control().verb() == TransactionCommand.Verb.BEGIN && !control().readOnly()
        : isWrite();
  }

  /** Whether it may run code of users, or go on with what does. */
  boolean mayRunCode() {
    return kind == Kind.FETCH
        || executed().anyMatch(prepared -> prepared.statementClass().mayRunCode());
  }

  boolean hasRows() {
    return all().anyMatch(prepared -> prepared.rows() != null);
  }

  /** Whether the leader alone may run it, though it writes nothing that others have. */
  boolean isLeaders() {
    return isTemporary()
        || all().anyMatch(prepared -> prepared.statementClass() == StatementClass.LEADER);
  }

  /** Whether what it sets may end with the transaction. */
  boolean setsLocally() {
    return kind == Kind.SESSION
        && command().statement().settings().stream()
            .anyMatch(one -> !"false".equals(one.local().value()));
  }

  /** Whether it begins a transaction of the replicator's, where others need one. */
  boolean mayBeWrapped() {
    return kind == Kind.RUN || kind == Kind.TEMPORARY || setsLocally();
  }

  /** Whether it may lock what it does not write, or do more: other servers do not know of that. */
  boolean mayLock() {
    return kind == Kind.CHECKED || executed().anyMatch(Segment::mayLock);
  }

  private static boolean mayLock(Prepared prepared) {
    return switch (prepared.statementClass()) {
      case CAPTURED -> true;
      case LEADER -> {
        Statement statement = prepared.statement();
        boolean seldom = prepared.draws() || CURSORS.contains(statement.word(0));
        yield !seldom || statement.locksRows() || statement.locks() != null;
      }
      case KEY_LOCAL -> prepared.statement().locksInConflict();
      case ROWS -> prepared.statement().locksRows() || prepared.statement().locksInConflict();
      default -> false;
    };
  }

  /** Whether it needs a transaction in common with what is sent in one go with it. */
  boolean needsTransaction() {
    return isLeaders() || setsLocally();
  }

  /** Whether it changes temporary tables. */
  boolean isTemporary() {
    return all().anyMatch(Prepared::isTemporary);
  }

  /** Whether what it does at the leader lasts as long as the session. */
  boolean lastsAsSession() {
    return executed()
        .map(Prepared::statement)
        .anyMatch(statement -> statement != null && statement.lastsAsSession());
  }

  /** The same, where it is for other sessions too, which a cursor is not. */
  boolean isForAll() {
    return all()
        .anyMatch(
            prepared ->
                prepared.statementClass() == StatementClass.LEADER
                    && !prepared.draws() // PostgreSQL refuses it where it cannot be.
                    && (prepared.holdsCursor() || !CURSORS.contains(prepared.statement().word(0))));
  }

  /** What it executes, where that is one command. */
  Prepared command() {
    return executed().findFirst().orElseThrow();
  }

  /** Whether it ends a transaction, which may fail, and then has ended it nevertheless. */
  boolean isCommit() {
    return kind == Kind.CONTROL
        && (control().verb() == TransactionCommand.Verb.COMMIT
            || control().verb() == TransactionCommand.Verb.PREPARE);
  }

  TransactionCommand control() {
    return TransactionCommand.of(command().statement());
  }

  Refusal refusal() {
    return all()
        .map(Prepared::refusal)
        .filter(refusal -> refusal != null)
        .findFirst()
        .orElseThrow();
  }
}
