package io.mgtm.query.session;

import io.mgtm.query.catalogue.Captures;
import io.mgtm.query.connection.Answer;
import io.mgtm.query.sql.Statement;
import io.mgtm.query.wire.ErrorFields;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * One query that looks like a read, and may write: it is run where PostgreSQL refuses that, and
 * where PostgreSQL does, once more as a write whose rows are captured. Belongs to a session.
 */
final class UnprovenRead {
  /** What PostgreSQL says of a write in a transaction that is read-only. */
  private static final String READ_ONLY = "25006";

  /** One that no client has. */
  private static final String SAVEPOINT = "\"unproven read " + UUID.randomUUID() + "\"";

  private static final String BEGIN =
      "SAVEPOINT " + SAVEPOINT + "; SET LOCAL transaction_read_only = on";

  /**
   * Takes the snapshot of a transaction that has none: PostgreSQL would else take one that is
   * SERIALIZABLE for one that never writes, and not look what it has read.
   */
  private static final String SNAPSHOT = "SELECT 1; ";

  private static final String BACK = "ROLLBACK TO SAVEPOINT " + SAVEPOINT + "; ";

  private static final ErrorFields TEMPORARY =
      ErrorFields.error("0A000", "a function that a query calls has written to a temporary table")
          .withHint("Write to it by INSERT, UPDATE or DELETE; or call the function by CALL or DO.");

  private final ReplicatedSession session;
  private final UnitRun run;
  private final ServerSet set;
  private final Segment segment;
  private final Captures captures;
  private final UnitOutput output;
  private boolean wroteTemporary;

  UnprovenRead(ReplicatedSession session, UnitRun run, Segment segment) {
    this.session = session;
    this.run = run;
    this.set = session.set();
    this.segment = segment;
    this.captures = session.schema().known().captures();
    this.output = run.output();
  }

  void start() {
    Backend home = set.home();
    boolean open = home == null || set.status() == 'T';
    Statement statement = segment.command().statement();
    boolean runs = open && !statement.word(0).equals("explain");
    String lasting = runs ? captures.lasting(statement) : null;
    if (lasting != null && !mayWrite()) {
      refuse(lasting);
      return;
    }
    if (mayWrite()) {
      // What has changed the schema may read, and not be of class C.
      boolean catching = captures.isCatching(statement) && !session.schema().isChanged();
      if (lasting != null || catching || captures.writesMore(text())) {
        write();
        return;
      }
      output.beginTrial();
    }
    if (home == null) {
      alone(set.chosen());
    } else if (set.status() == 'T') {
      inside(home);
    } else {
      run.sender().send(home, segment, run::ended);
    }
  }

  /** To run it as a read would undo what is not seen to be undone. */
  private void refuse(String lasting) {
    run.fail(
        ErrorFields.error(
                "0A000",
                "%s locks, notifies, sets or opens something, which ends with a statement that is run as a read"
                    .formatted(lasting))
            .withHint(
                captures.areOn()
                    ? "Call it in a transaction that is not READ ONLY, and send Bind and Execute in one go."
                    : captures.lacks()));
  }

  /** Whether it is run once more, as a write, if it turns out to be one. */
  private boolean mayWrite() {
    boolean writable = set.home() == null || (set.status() == 'T' && !set.isReadOnly());
    return writable
        && captures.areOn()
        && segment.isWhole()
        && session.schema().known().classifier().whyNotCaptured(segment.command().statement())
            == null;
  }

  /** A transaction of its own. One that is SERIALIZABLE has read only what it has committed. */
  private void alone(Backend leader) {
    boolean commits = set.isolation().isSerializable();
    String begin = commits ? "BEGIN; " + SNAPSHOT + BEGIN : "BEGIN READ ONLY";
    run.awaited().begin(begin, () -> send(leader, (relay, status) -> ranAlone(relay, commits)));
  }

  /** Runs it, and looks whether it has written to temporary tables, which PostgreSQL lets it. */
  private void send(Backend at, UnitRun.Ended then) {
    count(
        at,
        before ->
            run.sender()
                .send(
                    at,
                    segment,
                    (relay, status) -> {
                      if (relay.error() != null) {
                        then.ended(relay, status);
                      } else {
                        count(
                            at,
                            after -> {
                              wroteTemporary = !after.equals(before);
                              then.ended(relay, status);
                            });
                      }
                    }));
  }

  private void count(Backend at, Consumer<String> then) {
    if (!session.schema().temporaries().maySome()) {
      then.accept("");
      return;
    }
    at.hold(true);
    at.ask(
        TemporaryTables.WRITTEN,
        Answer.row(
            (row, error) -> {
              if (!session.isEnded()) {
                then.accept(error == null ? String.valueOf(row.get(0)) : error.message());
              }
            },
            () -> run.lost(at)));
  }

  private void ranAlone(Relay relay, boolean commits) {
    Backend leader = set.chosen();
    if (commits && relay.error() == null && !wroteTemporary) {
      leader.ask(
          BACK + "COMMIT",
          Answer.of((tag, error, status) -> committed(relay, error), () -> run.lost(leader)));
      return;
    }
    leader.ask("ROLLBACK", session.failover().unfailing(leader));
    if (isWrite(relay)) {
      write();
    } else if (wroteTemporary) {
      run.fail(TEMPORARY);
    } else {
      output.endTrial();
      run.ended(relay, 'I');
    }
  }

  private void committed(Relay relay, ErrorFields error) {
    output.endTrial();
    if (error == null) {
      run.ended(relay, 'I');
    } else {
      run.fail(error);
    }
  }

  private void inside(Backend home) {
    home.ask((set.isReadOnly() ? "" : SNAPSHOT) + BEGIN, session.failover().unfailing(home));
    send(
        home,
        (relay, status) -> {
          if (relay.error() == null) {
            // Going back would take the portal away, whose rows are to come.
            leave(home, relay.isSuspended() && set.isReadOnly());
          } else if (isWrite(relay)) {
            leave(home, false);
          }
          if (isWrite(relay)) {
            write();
          } else if (wroteTemporary) {
            run.fail(TEMPORARY);
          } else {
            output.endTrial();
            run.ended(relay, status);
          }
        });
  }

  private void leave(Backend home, boolean more) {
    home.ask(
        (more ? "" : BACK) + "RELEASE SAVEPOINT " + SAVEPOINT, session.failover().unfailing(home));
  }

  private boolean isWrite(Relay relay) {
    return relay.error() != null ? isTaken(relay.error()) : wroteTemporary && output.isTrial();
  }

  private String text() {
    return segment.command().sql();
  }

  private void write() {
    captures.sawMore(text());
    output.dropTrial();
    run.awaited().checked(segment.asWrite());
  }

  /** Whether an error of the leader's is not for the client. */
  boolean isTaken(ErrorFields error) {
    return error.sqlState().equals(READ_ONLY) && output.isTrial();
  }

  /** What the client is told in place of an error of the leader's, or null. */
  ErrorFields toldInstead(ErrorFields error) {
    if (!error.sqlState().equals(READ_ONLY)) {
      return null;
    }
    String hint =
        "The replicator runs what it cannot prove to be a read as one. Write by INSERT, UPDATE or DELETE.";
    return error.withHint(captures.areOn() ? hint : hint + " Or: " + captures.lacks());
  }

  /** Its server is out. */
  void end() {
    output.dropTrial();
  }
}
