package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.testing.Await;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Who dies while a client has prepared a transaction, is about to, or ends it. Done twice it would
 * show: it adds one.
 */
class PreparedFaultIT extends CommitFaults {
  private static final String PREPARED = "select count(*) from pg_prepared_xacts where gid = 'x'";
  private static final String N = "select n from counter where id = 1";

  /** Waited for where a prepared transaction notes its token. */
  private static final String TOKEN = "mgtm.prepared";

  private Replicators replicators;

  @BeforeEach
  void start() throws Exception {
    String tables =
        "create table counter (id int primary key, n int);"
            + "create table serials (id serial primary key, n int);"
            + "create type mood as enum ('sad', 'happy');"
            + "create table moods (id int primary key, m mood);";
    startServers(tables + "insert into counter values (1, 0), (2, 0)");
  }

  @Override
  @AfterEach
  void stop() throws Exception {
    if (replicators != null) {
      replicators.close();
    }
    super.stop();
  }

  private void prepare(String... writes) throws SQLException {
    try (Connection alice = cluster.alice()) {
      alice.setAutoCommit(false);
      for (String sql : writes) {
        run(alice, sql);
      }
      run(alice, "prepare transaction 'x'");
    }
  }

  private void add() throws SQLException {
    prepare("update counter set n = n + 1 where id = 1");
  }

  private void end(String how) throws SQLException {
    try (Connection alice = cluster.alice()) {
      run(alice, how + " prepared 'x'");
    }
  }

  private void rollBackElsewhere() throws SQLException {
    try (Connection alice = cluster.connect("alice", "postgres")) {
      run(alice, "rollback prepared 'x'");
    }
  }

  /** It is prepared at both, with its locks, and a client can go on with it. */
  private void assertPrepared() throws Exception {
    assertThat(cluster.number(PREPARED)).isOne();
    assertThat(cluster.number(N)).isZero();
    try (Connection alice = cluster.alice()) {
      run(alice, "set lock_timeout = 100");
      assertFails("55P03", () -> run(alice, "update counter set n = 7 where id = 1"));
      run(alice, "update counter set n = n + 1 where id = 2");
    }
  }

  private void assertEnded(int n) throws Exception {
    assertThat(cluster.number(N)).isEqualTo(n);
    assertThat(cluster.number(PREPARED)).isZero();
    assertThat(cluster.number(TOKENS)).isZero();
  }

  private void assertEndedAndAlike(int n) throws Exception {
    assertEnded(n);
    cluster.assertAlike();
  }

  // ---- the replicator --------------------------------------------------------------------------

  @Test
  void theReplicatorWhileItIsPrepared() throws Exception {
    startProcess();
    add();
    process.kill();
    startAgain();
    assertPrepared();
    end("commit");
    assertEnded(1);
  }

  /** The log does not have it, so that it is nowhere. */
  @Test
  @Tag("long")
  void theReplicatorBeforeTheLeaderHasPreparedIt() throws Exception {
    startProcess();
    whileItWaits(leader, TOKEN, this::add, (worked, holds) -> kill(worked, leader, TOKEN));
    startAgain();
    assertEnded(0);
  }

  /** The log has it, and nobody was told so. */
  @Test
  void theReplicatorBeforeTheOtherHasPreparedIt() throws Exception {
    startProcess();
    whileItWaits(
        other,
        TOKEN,
        this::add,
        (worked, holds) -> {
          assertThat(leader.number(PREPARED)).isOne();
          kill(worked, other, TOKEN);
        });
    startAgain();
    assertPrepared();
    end("rollback");
    assertEnded(0);
  }

  /** A label is renamed, though it has written it: PostgreSQL takes no lock for that. */
  @Test
  void theReplicatorAndNoServerCanPrepareItAgain() throws Exception {
    startProcess();
    prepare("insert into moods values (1, 'happy')");
    try (Connection alice = cluster.alice()) {
      String rename = "alter type mood rename value 'happy' to 'glad'";
      assertFails("55006", () -> run(alice, rename));
      cluster.sql("app", rename);
    }
    process.kill();
    startAgain();
    assertThat(process.said()).contains("could not be prepared again, and holds no locks");
    assertThat(get(begin(() -> end("commit")))).isEqualTo("55000");
    assertThat(get(begin(this::rollBackElsewhere))).isEqualTo("0A000");
    end("rollback");
    assertThat(get(begin(() -> end("rollback")))).isEqualTo("42704");
    assertEnded(0);
  }

  /** One server has committed it and not noted that, the other has it prepared. */
  @Test
  void theReplicatorWhileItCommits() throws Exception {
    startProcess();
    add();
    whileItWaits(
        other,
        POSITION,
        () -> end("commit"),
        (worked, holds) -> {
          assertThat(leader.number(PREPARED)).isOne();
          assertThat(other.number(TOKENS)).isOne();
          kill(worked, other, POSITION);
        });
    startAgain();
    assertEnded(1);
  }

  @Test
  @Tag("long")
  void oneOfSeveralReplicators() throws Exception {
    replicators = new Replicators(cluster, 3);
    cluster.several = replicators.clients();
    replicators.startAll();
    add();
    replicators.kill(replicators.serving());
    replicators.awaitServing();
    assertPrepared();
    end("commit");
    assertEnded(1);
  }

  // ---- a server --------------------------------------------------------------------------------

  @Test
  @Tag("long")
  void theLeaderWhileItIsPrepared() throws Exception {
    startHere();
    add();
    leader.kill();
    cluster.awaitIn(1);
    try (Connection alice = cluster.alice()) {
      run(alice, "update counter set n = n + 1 where id = 2");
    }
    end("commit");
    comesBack(leader);
    assertEndedAndAlike(1);
  }

  /** It is prepared where it comes back, and so it can lead. */
  @Test
  void andComesBackBeforeItIsCommitted() throws Exception {
    startHere();
    add();
    leader.kill();
    cluster.awaitIn(1);
    comesBack(leader);
    assertPrepared();
    other.kill();
    cluster.awaitIn(1);
    end("commit");
    comesBack(other);
    assertEndedAndAlike(1);
  }

  /** What it has prepared is of no use any more. */
  @Test
  @Tag("long")
  void andComesBackAfterItWasRolledBack() throws Exception {
    startHere();
    add();
    leader.kill();
    cluster.awaitIn(1);
    end("rollback");
    try (Connection alice = cluster.alice()) {
      run(alice, "update counter set n = n + 10 where id = 1");
    }
    comesBack(leader);
    assertEndedAndAlike(10);
  }

  /** It is given the entry of one that has written nothing. */
  @Test
  void andMissesOneThatHasWrittenNothing() throws Exception {
    startHere();
    prepare();
    leader.kill();
    cluster.awaitIn(1);
    end("commit");
    comesBack(leader);
    assertEndedAndAlike(0);
  }

  @Test
  @Tag("long")
  void theLeaderWhileTheOtherCommits() throws Exception {
    startHere();
    add();
    whileItWaits(
        other,
        POSITION,
        () -> end("commit"),
        (worked, holds) -> {
          leader.kill();
          cluster.awaitIn(1);
          holds.rollback();
          assertThat(get(worked)).isEmpty();
        });
    comesBack(leader);
    assertEndedAndAlike(1);
  }

  /** What it has drawn is seen in no table. */
  @Test
  void theLeaderWhoseSequenceWasDrawnFrom() throws Exception {
    startHere();
    String insert = "insert into serials (n) select n from generate_series(1, 40) n";
    prepare(insert);
    leader.kill();
    cluster.awaitIn(1);
    try (Connection alice = cluster.alice()) {
      run(alice, "set lock_timeout = 10000; " + insert);
    }
    end("commit");
    assertThat(other.number("select count(*) from serials")).isEqualTo(80);
    comesBack(leader);
    cluster.assertAlike();
  }

  /** Nobody ends it before all have it. */
  @Test
  void theOtherBeforeItHasPreparedIt() throws Exception {
    startHere();
    whileItWaits(
        other,
        TOKEN,
        this::add,
        (worked, holds) -> {
          assertThat(get(begin(() -> end("rollback")))).isEqualTo("55000");
          assertThat(get(begin(() -> end("commit")))).isEqualTo("55000");
          other.kill();
          assertThat(get(worked)).isEmpty();
        });
    comesBack(other);
    assertPrepared();
    end("commit");
    assertEndedAndAlike(1);
  }

  /** Its session's backends are gone, and the replicator ends what is decided. */
  @Test
  void theBackendsWhileTheOtherCommits() throws Exception {
    startHere();
    add();
    whileItWaits(
        other,
        POSITION,
        () -> end("commit"),
        (worked, holds) -> {
          String backends =
              "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'alice'";
          leader.sql("app", backends);
          other.sql("app", backends);
          holds.rollback();
          assertThat(get(worked)).isIn("", "57P01");
        });
    Await.until("it to be noted", () -> leader.number(TOKENS) + other.number(TOKENS) == 0);
    Await.until("it to be committed", () -> leader.number(N) == 1);
    assertEndedAndAlike(1);
    assertThat(cluster.replicator.serversIn()).hasSize(2);
  }

  /** A server that cannot take it up is not let in, and says why. */
  @Test
  void whoCannotPrepareItStaysOut() throws Exception {
    startHere();
    other.kill();
    cluster.awaitIn(1);
    add();
    other.startAgain("max_prepared_transactions=0");
    Await.until(
        "it to be told",
        () -> String.valueOf(cluster.replicator.whyOut(1)).contains("does not prepare 'x' again"));
    assertThat(cluster.replicator.whyOut(1)).contains("prepared transactions are disabled");
    end("commit");
    cluster.awaitIn(2);
    assertEndedAndAlike(1);
  }
}
