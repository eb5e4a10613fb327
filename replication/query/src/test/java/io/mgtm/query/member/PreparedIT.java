package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static io.mgtm.query.member.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.xa.PGXADataSource;

/** Two-phase commit of clients, before two servers. */
class PreparedIT {
  private static final String TABLES =
      "create table item (id int primary key, n int not null); create sequence item_s;"
          + "create table part (id int primary key,"
          + " item int references item deferrable initially deferred);"
          + "create table noted (id int primary key);"
          + "create function note(k int) returns int language plpgsql as"
          + " $$begin insert into noted values (k); return k; end$$;"
          + "create function lock_it() returns int language plpgsql as"
          + " $$begin perform 1 from item for update; return 0; end$$;"
          + "create table watched (id int primary key);"
          + "create function watch() returns trigger language plpgsql as"
          + " $$begin perform 1 from item for update; return new; end$$;"
          + "create trigger watch before insert on watched for each row execute function watch()";

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.createRole("worker");
    for (Postgres server : cluster.servers) {
      server.sql("postgres", "grant worker to mgtm");
      server.sql("app", "grant all on item to worker");
    }
    cluster.startReplicator();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    assertThat(cluster.number("select count(*) from pg_prepared_xacts")).isZero();
    assertThat(cluster.number("select count(*) from mgtm.prepared")).isZero();
    cluster.assertNobodyWasPutOut();
    cluster.assertAlike();
  }

  private static Connection begun() throws SQLException {
    Connection alice = cluster.alice();
    alice.setAutoCommit(false);
    return alice;
  }

  private static void prepare(String gid, String... writes) throws SQLException {
    try (Connection alice = begun()) {
      for (String sql : writes) {
        run(alice, sql);
      }
      run(alice, "prepare transaction '" + gid + "'");
    }
  }

  /** Outside of a transaction. */
  private static void end(String sql) throws SQLException {
    try (Connection alice = cluster.alice()) {
      run(alice, sql);
    }
  }

  private static long prepared(String gid) throws SQLException {
    return cluster.number(
        "select count(*) from pg_prepared_xacts where owner = 'alice' and gid = '" + gid + "'");
  }

  @Test
  void isAtAllServersUntilAnotherSessionCommitsIt() throws Exception {
    prepare("one", "insert into item values (1, 1)", "update item set n = n + 1 where id = 1");
    assertThat(prepared("one")).isOne();
    assertThat(cluster.number("select count(*) from item where id = 1")).isZero();
    end("commit prepared 'one'");
    assertThat(cluster.number("select n from item where id = 1")).isEqualTo(2);
    assertFails("42704", () -> end("commit prepared 'one'"));
  }

  @Test
  void isRolledBackAtAllServers() throws Exception {
    prepare("it''s \"two\"", "insert into item values (10, 1)");
    assertThat(prepared("it''s \"two\"")).isOne();
    end("rollback prepared 'it''s \"two\"'");
    end("insert into item values (10, 2)");
    assertThat(cluster.number("select n from item where id = 10")).isEqualTo(2);
  }

  /** What it has written stays locked, and its name is taken. */
  @Test
  void nobodyWritesItsRowsMeanwhile() throws Exception {
    end("insert into item values (20, 0), (21, 0)");
    prepare("three", "update item set n = 1 where id = 20");
    try (Connection other = begun()) {
      run(other, "set local lock_timeout = 100");
      assertFails("55P03", () -> run(other, "update item set n = 2 where id = 20"));
      other.rollback();
    }
    assertFails("42710", () -> prepare("three", "update item set n = 2 where id = 21"));
    end("update item set n = 3 where id = 21");
    end("commit prepared 'three'");
    assertThat(cluster.number("select sum(n) from item where id in (20, 21)")).isEqualTo(4);
  }

  @Test
  void mayHaveWrittenNothing() throws Exception {
    prepare("four");
    prepare("five", "select count(*) from item");
    assertThat(prepared("four") + prepared("five")).isEqualTo(2);
    end("commit prepared 'four'");
    end("rollback prepared 'five'");
  }

  /** What fails at PREPARE TRANSACTION has ended the transaction, as after COMMIT. */
  @Test
  void whatIsDeferredIsCheckedWhenItIsPrepared() throws Exception {
    try (Connection alice = begun()) {
      run(alice, "insert into part values (1, 99)");
      assertFails("23503", () -> run(alice, "prepare transaction 'six'"));
      run(alice, "insert into item values (30, 0)");
      run(alice, "insert into part values (1, 30)");
      run(alice, "prepare transaction 'six'");
      alice.setAutoCommit(true);
      run(alice, "commit prepared 'six'");
    }
    assertThat(cluster.number("select item from part")).isEqualTo(30);
  }

  @Test
  void savepointsThatWereUndoneAreNoPartOfIt() throws Exception {
    try (Connection alice = begun()) {
      run(alice, "insert into item values (40, 0)");
      run(alice, "savepoint s");
      run(alice, "insert into item values (41, 0)");
      run(alice, "rollback to s");
      run(alice, "insert into item select n, n from generate_series(42, 44) n");
      run(alice, "prepare transaction 'seven'");
    }
    end("commit prepared 'seven'");
    assertThat(cluster.number("select count(*) from item where id between 40 and 49")).isEqualTo(4);
  }

  @Test
  void failsAndEndsTheTransaction() throws Exception {
    try (Connection alice = begun()) {
      run(alice, "create temp table t (n int)");
      run(alice, "insert into item values (50, 0)");
      assertThatThrownBy(() -> run(alice, "prepare transaction 'eight'"))
          .hasMessageContaining("temporary objects");
      assertThat(text(alice, "select count(*) from item where id = 50")).isEqualTo("0");
      alice.rollback();
      String tooLong = "x".repeat(200);
      run(alice, "insert into item values (50, 0)");
      assertFails("22023", () -> run(alice, "prepare transaction '" + tooLong + "'"));
      assertThat(text(alice, "select count(*) from item where id = 50")).isEqualTo("0");
      alice.rollback();
    }
  }

  /** As PostgreSQL does it. */
  @Test
  void inAFailedTransactionItRollsBack() throws Exception {
    try (Connection alice = begun()) {
      run(alice, "insert into item values (51, 0)");
      assertFails("22012", () -> run(alice, "select 1 / 0"));
      run(alice, "prepare transaction 'nine'");
      assertThat(text(alice, "select count(*) from item where id = 51")).isEqualTo("0");
      alice.rollback();
      alice.setAutoCommit(true);
      run(alice, "prepare transaction 'ten'");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          begin isolation level serializable          | SERIALIZABLE
          begin read only                             | READ ONLY
          create table made (id int primary key)      | changed the schema
          select n from item where id = 60 for update | the leader's alone
          lock table item in share mode               | the leader's alone
          select pg_advisory_xact_lock(1)             | the leader's alone
          select note(60)                             | functions or triggers
          notify something                            | NOTIFY
          select nextval('item_s'), n from item for update          | the leader's alone
          select nextval('item_s'), pg_advisory_xact_lock(1)        | the leader's alone
          declare c cursor for select n from item for share         | the leader's alone
          declare c cursor for select pg_advisory_xact_lock(id) from item | the leader's alone
          insert into item values (20, 1) on conflict (id) do update set n = 9 where false | alone
          insert into noted select id from item for share | the leader's alone
          insert into watched values (60)             | functions or triggers
          select lock_it()                            | functions or triggers
          """)
  void isRefusedWhereALeaderToComeCouldNotKeepIt(String what, String why) throws Exception {
    try (Connection alice = cluster.alice()) {
      run(alice, what.startsWith("begin") ? what : "begin");
      if (!what.startsWith("begin")) {
        run(alice, what);
      }
      if (!what.endsWith("read only")) {
        run(alice, "insert into item values (60, 0)");
      }
      assertThatThrownBy(() -> run(alice, "prepare transaction 'eleven'"))
          .hasMessageContaining("is not prepared")
          .hasMessageContaining(why)
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
      run(alice, "rollback");
    }
    assertThat(cluster.number("select count(*) from item where id = 60")).isZero();
  }

  @Test
  void whoMayNotEndItIsTold() throws Exception {
    prepare("twelve", "insert into item values (70, 0)");
    try (Connection worker = cluster.connect("worker", "app")) {
      assertFails("42501", () -> run(worker, "commit prepared 'twelve'"));
    }
    try (Connection elsewhere = cluster.connect("alice", "postgres")) {
      assertFails("0A000", () -> run(elsewhere, "rollback prepared 'twelve'"));
    }
    try (Connection alice = begun()) {
      text(alice, "select count(*) from item");
      assertFails("25001", () -> run(alice, "commit prepared 'twelve'"));
      alice.rollback();
    }
    assertFails("0A000", () -> end("commit prepared E'twelve'"));
    end("rollback prepared 'twelve'");
  }

  @Test
  void whoseBackendIsGoneIsTold() throws Exception {
    prepare("gone", "insert into item values (71, 0)");
    try (Connection alice = cluster.alice()) {
      String pid = text(alice, "select pg_backend_pid() from item for update");
      cluster.servers.get(0).sql("app", "select pg_terminate_backend(%s)".formatted(pid));
      assertFails("57P01", () -> run(alice, "commit prepared 'gone'"));
    }
    end("commit prepared 'gone'");
    assertThat(cluster.number("select count(*) from item where id = 71")).isOne();
  }

  /** Its owner is nobody then, and only a superuser may end it. */
  @Test
  void aRoleThatIsDroppedLeavesItToSuperusers() throws Exception {
    cluster.createRole("passing");
    cluster.sql("postgres", "grant passing to mgtm");
    try (Connection passing = cluster.connect("passing", "app")) {
      passing.setAutoCommit(false);
      run(passing, "select 1");
      run(passing, "prepare transaction 'left'");
    }
    cluster.sql("postgres", "drop role passing");
    assertFails("42501", () -> end("commit prepared 'left'"));
    try (Connection postgres = cluster.connect("postgres", "app")) {
      run(postgres, "rollback prepared 'left'");
    }
  }

  @Test
  void whatAServerAloneHasIsNotEnded() throws Exception {
    Postgres leader = cluster.servers.get(0);
    try (Connection alice = Cluster.alice(leader.address)) {
      run(alice, "begin");
      run(alice, "update item set n = 0 where id = -1");
      run(alice, "prepare transaction 'elsewhere'");
    }
    assertFails("55000", () -> end("commit prepared 'elsewhere'"));
    leader.sql("app", "rollback prepared 'elsewhere'");
  }

  @Test
  void aRoleThatWasSetOwnsIt() throws Exception {
    cluster.sql("postgres", "grant worker to alice");
    try (Connection alice = begun()) {
      run(alice, "set local role worker");
      run(alice, "insert into item values (80, 0)");
      run(alice, "prepare transaction 'thirteen'");
      assertThat(cluster.number("select count(*) from pg_prepared_xacts where owner = 'worker'"))
          .isOne();
      alice.setAutoCommit(true);
      assertFails("42501", () -> run(alice, "commit prepared 'thirteen'"));
      run(alice, "set role worker");
      run(alice, "commit prepared 'thirteen'");
    }
    assertThat(cluster.number("select count(*) from item where id = 80")).isOne();
  }

  /** As the driver's own part of a transaction manager does it, and finds it again. */
  @Test
  void transactionManagersUseIt() throws Exception {
    PGXADataSource source = new PGXADataSource();
    source.setUrl("jdbc:postgresql://" + cluster.address() + "/app");
    source.setUser("alice");
    source.setPassword(Postgres.PASSWORD);
    XAConnection manager = source.getXAConnection();
    Xid one = new Branch(1);
    Xid other = new Branch(2);
    try (Connection alice = manager.getConnection()) {
      for (Xid xid : new Xid[] {one, other}) {
        manager.getXAResource().start(xid, XAResource.TMNOFLAGS);
        run(alice, "insert into item values (%d, 0)".formatted(90 + xid.getFormatId()));
        manager.getXAResource().end(xid, XAResource.TMSUCCESS);
        assertThat(manager.getXAResource().prepare(xid)).isEqualTo(XAResource.XA_OK);
      }
    }
    manager.close();
    XAConnection later = source.getXAConnection();
    XAResource resource = later.getXAResource();
    assertThat(resource.recover(XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN)).hasSize(2);
    resource.commit(one, false);
    resource.rollback(other);
    later.close();
    assertThat(cluster.number("select count(*) from item where id in (91, 92)")).isOne();
  }

  private record Branch(int getFormatId) implements Xid {
    @Override
    public byte[] getGlobalTransactionId() {
      return new byte[] {1, 2, 3};
    }

    @Override
    public byte[] getBranchQualifier() {
      return new byte[] {(byte) getFormatId};
    }
  }

  /** Sessions that end each other's, a few names only: each is ended once. */
  @Test
  void isEndedOnce() throws Exception {
    end("insert into item values (100, 0)");
    prepare("last", "update item set n = n + 1 where id = 100");
    try (Connection one = cluster.alice();
        Connection other = cluster.alice()) {
      Thread first = new Thread(() -> endQuietly(one));
      Thread second = new Thread(() -> endQuietly(other));
      first.start();
      second.start();
      first.join();
      second.join();
    }
    Await.until("it to be ended", () -> prepared("last") == 0);
    assertThat(cluster.number("select n from item where id = 100")).isOne();
  }

  private static void endQuietly(Connection at) {
    try {
      run(at, "commit prepared 'last'");
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isIn("42704", "55000");
    }
  }
}
