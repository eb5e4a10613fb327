package io.mgtm.query.session;

import io.mgtm.query.connection.Answer;
import io.mgtm.query.fleet.CommitLog;
import io.mgtm.query.fleet.LabelRenames;
import io.mgtm.query.fleet.Node;
import io.mgtm.query.fleet.PositionTable;
import io.mgtm.query.fleet.PreparedTransaction;
import io.mgtm.query.order.Entry;
import io.mgtm.query.order.Part;
import io.mgtm.query.sql.Quoting;
import io.mgtm.query.wire.ErrorFields;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * One COMMIT PREPARED or ROLLBACK PREPARED at all servers: decided by an entry of the log, as it
 * was by one that it is prepared, and then done to its end, at the leader last. Belongs to a
 * session, in which no transaction is open.
 */
final class PreparedEnd {
  /** Whether it is of this database, and whether the client may end it. */
  private static final String QUESTION =
      "SELECT database OPERATOR(pg_catalog.=) pg_catalog.current_database(),"
          + " coalesce(owner OPERATOR(pg_catalog.=) current_user, false)"
          + " OR (SELECT rolsuper FROM pg_catalog.pg_roles"
          + " WHERE rolname OPERATOR(pg_catalog.=) current_user)"
          + " FROM pg_catalog.pg_prepared_xacts WHERE gid OPERATOR(pg_catalog.=) ";

  /** Whether the client may end what a role has prepared. */
  private static final String OWNS =
      "SELECT rolsuper OR rolname OPERATOR(pg_catalog.=) %s FROM pg_catalog.pg_roles"
          + " WHERE rolname OPERATOR(pg_catalog.=) current_user";

  private static final ErrorFields DENIED =
      ErrorFields.error("42501", "permission denied to finish prepared transaction")
          .withHint("Must be superuser or the user that prepared the transaction.");

  private static final ErrorFields ELSEWHERE =
      ErrorFields.error("0A000", "prepared transaction belongs to another database")
          .withHint("Connect to the database where the transaction was prepared to finish it.");

  private final ReplicatedSession session;
  private final String gid;
  private final boolean commits;
  private final Result result;
  private final GatePass pass;
  private final Backend leader;
  private Entry.Prepares prepared;

  /** Of its entry; 0 where that is settled by others. */
  private long number;

  private long settled;

  /** What comes of it. */
  interface Result {
    void done();

    void refused(ErrorFields why);

    /** It is not known whether it has ended. */
    void unknown(String why);
  }

  PreparedEnd(ReplicatedSession session, String gid, boolean commits, Result result) {
    this.session = session;
    this.gid = gid;
    this.commits = commits;
    this.result = result;
    this.pass = new GatePass(session, this::enter);
    this.leader = session.set().chosen();
  }

  /** By which it is begun. */
  GatePass pass() {
    return pass;
  }

  private void enter() {
    if (session.isEnded()) {
      pass.leave();
    } else if (session.shared().fleet().isDeposed()) {
      refuse(ErrorFields.error("57P01", PositionTable.TAKEN_OVER));
    } else if (!leader.node().isIn() || leader.isGone()) {
      leaderLost();
    } else if (commits
        && session.shared().fleet().in().size() < session.shared().config().serversMin()) {
      refuse(CommitErrors.FEWER);
    } else {
      leader.hold(true);
      leader.ask(QUESTION + Quoting.literal(gid), Answer.row(this::found, this::leaderLost));
    }
  }

  /** Before anything was decided. */
  private void leaderLost() {
    if (leader.node().isIn()) {
      end(() -> session.failover().ended(leader));
    } else {
      refuse(leader.node().moved());
    }
  }

  private void refuse(ErrorFields why) {
    end(() -> result.refused(why));
  }

  private void end(Runnable then) {
    if (number > 0) {
      session.shared().commits().settled(number);
    }
    if (prepared != null) {
      session.shared().commits().prepared().unclaim(prepared.part().token());
    }
    pass.leave();
    if (!session.isEnded()) {
      then.run();
    }
  }

  private void found(List<String> row, ErrorFields error) {
    if (error != null) {
      refuse(error);
    } else if (row.isEmpty()) {
      claim(this::foundInLog);
    } else if (row.get(1).equals("f")) {
      refuse(DENIED);
    } else if (row.get(0).equals("f")) {
      refuse(ELSEWHERE);
    } else {
      claim(this::claimed);
    }
  }

  private void claim(Consumer<Entry.Prepares> then) {
    session
        .shared()
        .commits()
        .prepared()
        .claim(gid)
        .thenAccept(one -> session.execute(() -> then.accept(one)));
  }

  /** The leader does not have it: no server could prepare it again. */
  private void foundInLog(Entry.Prepares one) {
    prepared = one;
    if (one == null) {
      refuse(named("42704", "does not exist"));
    } else if (!one.part().database().equals(session.schema().database())) {
      refuse(ELSEWHERE);
    } else if (commits) {
      refuse(
          named("55000", "could not be prepared again")
              .withHint(
                  "The replicator's log says why. ROLLBACK PREPARED, or mend it and restart."));
    } else {
      leader.hold(true);
      leader.ask(
          OWNS.formatted(Quoting.literal(one.owner())),
          Answer.row(
              (row, error) -> {
                if (error != null) {
                  refuse(error);
                } else if (row.get(0).equals("t")) {
                  claimed(one);
                } else {
                  refuse(DENIED);
                }
              },
              this::leaderLost));
    }
  }

  private ErrorFields named(String sqlState, String what) {
    return ErrorFields.error(
        sqlState, "prepared transaction with identifier \"%s\" %s".formatted(gid, what));
  }

  private void claimed(Entry.Prepares one) {
    prepared = one;
    CommitLog log = session.shared().commits();
    if (one == null) {
      refuse(
          named("55000", "is busy")
              .withHint("One that was not prepared here is ended at its server."));
    } else if (session.isEnded()) {
      end(() -> {});
    } else if (commits) {
      Part part = one.part().of(session.slot().number());
      log.commit(part, LabelRenames.Of.NONE, session.loop(), new Decision());
    } else {
      log.prepared().rollBack(one.part().token(), session.loop(), new Decision());
    }
  }

  /** What the log says. */
  private final class Decision implements CommitLog.Done {
    @Override
    public void decided(long entry, long settledThen) {
      number = commits ? entry : 0;
      settled = settledThen;
      if (commits) {
        pass.commits(PreparedEnd.this::endAtOthers);
      } else {
        endAtOthers();
      }
    }

    @Override
    public void refused(String why) {
      refuse(CommitErrors.refusedByLog(session, why));
    }

    @Override
    public void inDoubt(String why) {
      end(() -> result.unknown(why + CommitErrors.UNKNOWN));
    }
  }

  private void endAtOthers() {
    List<Node> left = new ArrayList<>(session.shared().fleet().in());
    left.remove(leader.node());
    if (left.isEmpty()) {
      endAtLeader();
    }
    for (Node other : List.copyOf(left)) {
      other.owes();
      endAt(
          other,
          done -> {
            other.owesNoMore();
            if (!done && !session.shared().fleet().isDeposed()) {
              session.shared().fleet().eject(other, "did not end what is prepared");
            }
            left.remove(other);
            if (left.isEmpty()) {
              endAtLeader();
            }
          });
    }
  }

  private void endAtLeader() {
    leader.node().owes();
    endAt(
        leader.node(),
        done -> {
          leader.node().owesNoMore();
          leaderAnswered(done);
        });
  }

  /** Tells whether it is ended there; else the server is out, has lost it, or another orders. */
  private void endAt(Node node, Consumer<Boolean> then) {
    PreparedTransaction there = PreparedTransaction.of(prepared, node.fence());
    Backend backend =
        session.set().live().stream().filter(b -> b.node() == node).findFirst().orElse(null);
    PreparedCommit at = new PreparedCommit(session, node, backend, there);
    if (commits) {
      at.commit(number, settled, then);
    } else {
      at.rollBack(then);
    }
  }

  private void leaderAnswered(boolean done) {
    if (done) {
      end(result::done);
    } else if (session.shared().fleet().isDeposed()) {
      end(() -> result.unknown(PositionTable.TAKEN_OVER + CommitErrors.UNKNOWN));
    } else if (session.shared().fleet().eject(leader.node(), "did not end what is prepared")) {
      end(result::done);
    } else if (session.shared().commits().isEnded() || !leader.node().isIn()) {
      unknown(CommitErrors.LAST_IS_GONE);
    } else {
      lostByLast();
    }
  }

  private void unknown(String why) {
    session.slot().keep();
    number = 0;
    end(() -> result.unknown(why));
  }

  /** Somebody else has ended it there: rolled back it is, whatever was said. */
  private void lostByLast() {
    ErrorFields why = ErrorFields.error("40000", "somebody has ended what was prepared");
    if (number == 0) {
      end(result::done);
    } else {
      new LastServer(session, number)
          .drop(
              () -> refuse(why),
              text -> {
                number = 0;
                end(() -> result.unknown(text));
              });
    }
  }
}
