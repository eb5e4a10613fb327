package io.mgtm.query.member;

import static io.mgtm.query.member.CommitFaults.POSITION;
import static io.mgtm.query.member.CommitFaults.begin;
import static io.mgtm.query.member.CommitFaults.get;
import static io.mgtm.query.member.CommitFaults.whileItWaits;
import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static io.mgtm.query.member.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;

import io.mgtm.common.HostPort;
import io.mgtm.query.config.QueryConfig.Reads;
import io.mgtm.testing.Await;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;

/** With {@code reads: snapshot} no read sees more, or less, than the leader shows. */
class SnapshotReadsIT {
  private static final String TABLES =
      "create table counter (id int primary key, n int); insert into counter values (1, 0)";

  private static final String N = "select n from counter where id = 1";
  private static final String ADD = "update counter set n = n + 1 where id = 1";
  private static final String PORT = "select inet_server_port()";
  private static final String BEGIN = "begin isolation level repeatable read read only";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;
  @AutoClose private static Between between;
  private static Postgres leader;
  private static Postgres other;
  private final List<Connection> opened = new ArrayList<>();
  private Connection writer;
  private Connection reader;

  @BeforeAll
  static void startCluster() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    leader = cluster.servers.get(0);
    other = cluster.servers.get(1);
    between = new Between(other.address);
    List<HostPort> servers = List.of(leader.address, between.address());
    cluster.replicator =
        QueryServer.start(
            TestConfig.several(
                folder, servers, 1, Reads.SNAPSHOT, cluster.spoolBytes, cluster.applyMs));
  }

  @BeforeEach
  void open() throws Exception {
    writer = alice();
    run(writer, "update counter set n = 0 where id = 1");
    reader = atOther();
  }

  @AfterEach
  void close() throws Exception {
    for (Connection one : opened) {
      one.close();
    }
    cluster.assertAlike();
  }

  private Connection alice() throws SQLException {
    Connection alice = cluster.alice();
    opened.add(alice);
    return alice;
  }

  /** One that reads at the server that does not lead. */
  private Connection atOther() throws SQLException {
    Connection alice = alice();
    while (!isAt(other, alice)) {
      alice = alice();
    }
    return alice;
  }

  private static boolean isAt(Postgres server, Connection session) throws SQLException {
    return text(session, PORT).equals(Integer.toString(server.address.port()));
  }

  private static void assertSees(int n, Connection session) throws SQLException {
    assertThat(text(session, N)).isEqualTo(Integer.toString(n));
  }

  /** Commits what adds one; the leader comes to that when all others have it. */
  private void whileTheLeaderCommits(CommitFaults.Step step) throws Exception {
    whileItWaits(leader, POSITION, () -> run(writer, ADD), step);
  }

  private static long metric(String name) throws Exception {
    return Tools.metric(cluster.replicator.admin(), "mgtm_query_" + name);
  }

  @Test
  void whatTheLeaderDoesNotShowIsNotSeen() throws Exception {
    long before = metric("reads_moved_total");
    whileTheLeaderCommits(
        (worked, holds) -> {
          assertThat(other.number(N)).isOne();
          assertSees(0, reader);
          assertThat(metric("reads_moved_total")).isGreaterThan(before);
          assertThat(isAt(leader, reader)).isTrue();
          holds.rollback();
          assertThat(get(worked)).isEmpty();
          assertThat(isAt(other, reader)).isTrue();
          assertSees(1, reader);
        });
  }

  @Test
  void whatIsPreparedAndCommitted() throws Exception {
    writer.setAutoCommit(false);
    run(writer, ADD, "prepare transaction 'x'");
    writer.setAutoCommit(true);
    whileItWaits(
        other,
        POSITION,
        () -> run(writer, "commit prepared 'x'"),
        (worked, holds) -> {
          assertThat(other.number(N)).isOne();
          assertSees(0, reader);
          holds.rollback();
          assertThat(get(worked)).isEmpty();
          assertSees(1, reader);
        });
  }

  /** Snapshots that are older than that are not of it, and locks are younger than snapshots. */
  @Test
  void tablesThatAreWrittenAnewAreSeenWhole() throws Exception {
    String count = "select count(*) from rewritten";
    run(writer, "create table rewritten (id int primary key, n int)");
    run(writer, "insert into rewritten (id, n) select i, i from generate_series(1, 100) i");
    for (String change :
        List.of(
            "alter table rewritten alter n type bigint",
            "truncate rewritten; insert into rewritten (id) select i from generate_series(1, 100) i")) {
      run(writer, "begin; " + change);
      CompletableFuture<String> simple =
          begin(() -> assertThat(text(reader, count)).isEqualTo("100"));
      Await.until(
          "it to wait",
          () ->
              other.number("select count(*) from pg_locks where not granted")
                      + leader.number("select count(*) from pg_locks where not granted")
                  > 0);
      run(writer, "commit");
      assertThat(get(simple)).isEmpty();
    }
    run(writer, "drop table rewritten");
  }

  /** What it is told is not read then, but what commits wait for is. */
  @Test
  void whoTakesNothingHoldsNobodyUp() throws Exception {
    run(writer, "create table wide (id int primary key, t text)");
    run(writer, "insert into wide select 1, repeat('x', 1000)", "grant select on wide to public");
    long late = metric("snapshots_late_total");
    List<RawClient> slow = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      slow.add(RawClient.trusted(cluster.replicator.address()));
    }
    List<CompletableFuture<Void>> sent =
        slow.stream().map(SnapshotReadsIT::askAndReadNothing).toList();
    AtomicLong before = new AtomicLong();
    Await.until("they to hold up their sessions", () -> reads() == before.getAndSet(reads()));
    for (int i = 0; i < 50; i++) {
      assertThat(get(begin(() -> run(writer, ADD)))).isEmpty();
      run(reader, BEGIN);
      assertSees(i + 1, reader);
      run(reader, "commit");
    }
    assertThat(metric("snapshots_late_total")).isEqualTo(late);
    for (RawClient one : slow) {
      one.close();
    }
    assertThat(sent).allSatisfy(one -> assertThat(one).succeedsWithin(Duration.ofMinutes(1)));
    run(writer, "drop table wide");
  }

  private static long reads() throws Exception {
    return metric("reads_total{server=\"%s\"}".formatted(between.address()));
  }

  private static CompletableFuture<Void> askAndReadNothing(RawClient client) {
    return CompletableFuture.runAsync(
        () -> {
          try {
            for (int i = 0; i < 20_000; i++) {
              client.send(RawClient.message('Q', "select t from wide where id = 1"));
            }
          } catch (IOException e) {
            // It was closed, as the test is over.
          }
        });
  }

  @Test
  void theClientsTimeoutsAreOfItsOwnTransactions() throws Exception {
    run(reader, "set idle_in_transaction_session_timeout = 1");
    for (int i = 0; i < 200; i++) {
      assertSees(0, reader);
    }
  }

  /** Its snapshot is taken by its first query, and not before. */
  @Test
  void transactionThatIsReadOnlyWaitsForItsSnapshot() throws Exception {
    run(reader, BEGIN, "set local work_mem = '1MB'", "savepoint a", "show work_mem");
    whileTheLeaderCommits(
        (worked, holds) -> {
          CompletableFuture<String> read = begin(() -> assertSees(1, reader));
          assertThat(other.number(N)).isOne();
          assertThat(read).isNotDone();
          holds.rollback();
          assertThat(get(worked)).isEmpty();
          assertThat(get(read)).isEmpty();
        });
    run(writer, ADD);
    assertSees(1, reader);
    assertThat(isAt(other, reader)).isTrue();
    run(reader, "commit and chain");
    assertSees(2, reader);
    assertThat(isAt(other, reader)).isTrue();
    run(reader, "rollback");
  }

  @Test
  void whoWaitsForASnapshotCanCancel() throws Exception {
    run(reader, BEGIN);
    whileTheLeaderCommits(
        (worked, holds) -> {
          try (Statement statement = reader.createStatement()) {
            CompletableFuture<String> read = begin(() -> statement.executeQuery(N));
            Await.until(
                "it to be cancelled",
                () -> {
                  statement.cancel();
                  return read.isDone();
                });
            assertThat(get(read)).isEqualTo("57014");
            assertThat(worked).isNotDone();
            holds.rollback();
            assertThat(get(worked)).isEmpty();
          }
        });
    run(reader, "rollback");
    assertSees(1, reader);
  }

  @Test
  void theirClientMayGo() throws Exception {
    run(reader, BEGIN);
    whileTheLeaderCommits(
        (worked, holds) -> {
          CompletableFuture<String> read = begin(() -> text(reader, N));
          reader.abort(Runnable::run);
          assertThat(get(read)).startsWith("08");
          holds.rollback();
          assertThat(get(worked)).isEmpty();
        });
    run(writer, ADD);
  }

  /**
   * Commits wait for a snapshot that a server is to take, but no longer than a server may be
   * silent: what is answered then is not used.
   */
  @Test
  void commitsWaitForSnapshots() throws Exception {
    Connection goes = atOther();
    between.hold("REPEATABLE READ; SET LOCAL");
    CompletableFuture<String> read = begin(() -> assertSees(1, reader));
    between.awaitHeld();
    CompletableFuture<String> gone = begin(() -> text(goes, N));
    CompletableFuture<String> written = begin(() -> run(writer, ADD));
    Await.until(
        "it to be written",
        () -> leader.number("select count(*) from pg_locks where mode = 'RowExclusiveLock'") > 0);
    assertThat(written).isNotDone();
    assertThat(other.number(N)).isZero();
    goes.abort(Runnable::run);
    assertThat(get(gone)).startsWith("08");
    assertThat(get(written)).isEmpty();
    assertThat(metric("snapshots_late_total")).isPositive();
    assertThat(read).isNotDone();
    between.release();
    assertThat(get(read)).isEmpty();
    assertSees(1, atOther());
  }

  @Test
  void readCommittedIsTheLeaders() throws Exception {
    run(reader, "begin read only");
    assertThat(isAt(leader, reader)).isTrue();
    run(
        reader,
        "commit",
        "set session characteristics as transaction isolation level repeatable read");
    run(reader, "begin read only");
    assertThat(isAt(other, reader)).isTrue();
    run(reader, "commit", "begin isolation level repeatable read read only");
    run(reader, "set transaction isolation level read committed");
    assertFails("0A000", () -> run(reader, N));
    for (String level : List.of("= 'read committed'", "to default")) {
      run(reader, "rollback", BEGIN, "set transaction_isolation " + level);
      assertFails("0A000", () -> run(reader, N));
    }
    run(reader, "rollback");
  }

  @Test
  void theIsolationIsTheClients() throws Exception {
    assertThat(text(reader, "show transaction_isolation")).isEqualTo("read committed");
    assertThat(text(reader, "select current_setting('transaction_isolation')"))
        .isEqualTo("read committed");
    assertThat(reader.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
  }

  @Test
  void readsOfAllKinds() throws Exception {
    assertFails("22012", () -> run(reader, "select n / 0 from counter"));
    assertSees(0, reader);
    try (PreparedStatement select = reader.prepareStatement("select n from counter where id = ?")) {
      for (int i = 0; i < 10; i++) {
        run(writer, ADD);
        select.setInt(1, 1);
        try (ResultSet rows = select.executeQuery()) {
          assertThat(rows.next()).isTrue();
          assertThat(rows.getInt(1)).isEqualTo(i + 1);
        }
      }
    }
    StringWriter copied = new StringWriter();
    reader
        .unwrap(PGConnection.class)
        .getCopyAPI()
        .copyOut("copy (select n from counter) to stdout", copied);
    assertThat(copied).hasToString("10\n");
    run(reader, "select n from counter; select 1; " + ADD + "; select n from counter");
    assertSees(11, reader);
    run(reader, ";");
    assertThat(isAt(other, reader)).isTrue();
  }
}
