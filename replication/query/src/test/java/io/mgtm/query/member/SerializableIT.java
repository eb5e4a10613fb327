package io.mgtm.query.member;

import static io.mgtm.query.member.Sql.assertFails;
import static io.mgtm.query.member.Sql.run;
import static io.mgtm.query.member.Sql.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.mgtm.testing.Await;
import java.io.StringReader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/** Transactions that are SERIALIZABLE, before two servers. */
class SerializableIT {
  private static final String TABLES =
      "create table duty (name text primary key, on_call bool not null);"
          + "insert into duty select 'd' || n, true from generate_series(1, 20) n;"
          + "create table other (id int primary key, n int);"
          + "create function note(k int) returns int language plpgsql as"
          + " $$begin insert into other values (k, k); return k; end$$;"
          + "create function leave(who text) returns bigint language plpgsql as"
          + " $$declare n bigint; begin select count(*) into n from duty where on_call;"
          + " update duty set on_call = false where name = who; return n; end$$;"
          + "create view calls as select name from duty where on_call";

  private static final String COUNT = "select count(*) from duty where on_call";
  private static final int READS = 20;

  /** They begin at one server after the other. */
  private static final int SESSIONS = 4;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    Await.until("nothing to be prepared", () -> count("pg_prepared_xacts") == 0);
    assertThat(count("mgtm.prepared")).isZero();
    cluster.assertNobodyWasPutOut();
    cluster.assertAlike();
  }

  private static long count(String table) throws SQLException {
    long all = 0;
    for (Postgres server : cluster.servers) {
      all += server.number("select count(*) from " + table);
    }
    return all;
  }

  private static Connection serializable() throws SQLException {
    Connection alice = cluster.alice();
    alice.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
    alice.setAutoCommit(false);
    return alice;
  }

  /** Each reads what the other writes: one must not be, and is told so by its COMMIT. */
  @Test
  void writeSkewIsToldAtCommit() throws Exception {
    try (Connection one = serializable();
        Connection other = serializable()) {
      String before = text(one, COUNT);
      assertThat(text(other, COUNT)).isEqualTo(before);
      run(one, "update duty set on_call = false where name = 'd1'");
      run(other, "update duty set on_call = false where name = 'd2'");
      one.commit();
      assertFails("40001", other::commit);
      assertThat(text(one, "select on_call from duty where name = 'd2'")).isEqualTo("t");
      // Its session goes on.
      run(other, "update duty set on_call = false where name = 'd2'");
      other.commit();
      one.rollback();
    }
    assertThat(
            cluster.number("select count(*) from duty where not on_call and name in ('d1', 'd2')"))
        .isEqualTo(2);
  }

  /** They are tried as reads first, of which PostgreSQL need not know what they read. */
  @Test
  void andOfFunctionsThatWrite() throws Exception {
    try (Connection one = serializable();
        Connection other = serializable()) {
      String before = text(one, "select leave('d5')");
      assertThat(text(other, "select leave('d6')")).isEqualTo(before);
      one.commit();
      assertFails("40001", other::commit);
      // Known to write by now.
      text(other, "select leave('d7')");
      text(one, "select leave('d8')");
      other.commit();
      assertFails("40001", one::commit);
    }
  }

  /** A view may be more than a read, and so is run in a transaction of the replicator's. */
  @Test
  void readsOutsideOfTransactionsArePartOfTheOrder() throws Exception {
    String calls = "select count(*) from calls where name in ('d13', 'd14')";
    try (Connection reads = serializable();
        Connection one = serializable();
        Connection other = serializable()) {
      reads.rollback();
      reads.setAutoCommit(true);
      assertThat(text(one, calls)).isEqualTo("2");
      run(other, "update duty set on_call = false where name = 'd14'");
      other.commit();
      assertThat(text(reads, calls)).isEqualTo("1");
      assertFails(
          "40001",
          () -> {
            run(one, "update duty set on_call = false where name = 'd13'");
            one.commit();
          });
      one.rollback();
    }
  }

  /** One that has written nothing is committed by the leader alone. */
  @Test
  void readsAloneArePartOfTheOrder() throws Exception {
    String[] sums = new String[2];
    try (Connection reads = serializable();
        Connection one = serializable();
        Connection other = serializable()) {
      // The example of a read-only anomaly, of Fekete, O'Neil and O'Neil.
      sums[0] = text(one, "select count(*) from duty where on_call and name in ('d3', 'd4')");
      run(other, "update duty set on_call = false where name = 'd4'");
      other.commit();
      sums[1] = text(reads, "select count(*) from duty where on_call and name in ('d3', 'd4')");
      reads.commit();
      assertFails(
          "40001",
          () -> {
            run(one, "update duty set on_call = false where name = 'd3'");
            one.commit();
          });
      one.rollback();
    }
    assertThat(sums).containsExactly("2", "1");
  }

  /** Rows of all classes are there, also what a savepoint has undone is not. */
  @Test
  void allClassesOfWritesAreCommitted() throws Exception {
    try (Connection alice = serializable()) {
      run(alice, "insert into other (id, n) values (1, 1)");
      run(alice, "insert into other select 2, count(*) from duty");
      run(alice, "savepoint a");
      run(alice, "insert into other (id, n) values (3, 3)");
      run(alice, "rollback to savepoint a");
      assertThat(text(alice, "select note(4)")).isEqualTo("4");
      run(alice, "do $$begin insert into other values (5, 5); end$$");
      alice.commit();
      // Others have begun, and nothing is left of what they did.
      run(alice, "savepoint a");
      run(alice, "insert into other (id, n) values (6, 6)");
      run(alice, "rollback to savepoint a");
      alice.commit();
      CopyManager copies = alice.unwrap(PGConnection.class).getCopyAPI();
      copies.copyIn("copy other (id, n) from stdin", new StringReader("7\t7\n8\t8\n"));
      alice.commit();
    }
    assertThat(cluster.number("select sum(id) from other where id < 9"))
        .isEqualTo(1 + 2 + 4 + 5 + 7 + 8);
  }

  private static Set<String> ports(Connection alice, boolean transactions) throws SQLException {
    Set<String> found = new HashSet<>();
    for (int i = 0; i < READS; i++) {
      if (transactions) {
        run(alice, "begin read only");
      }
      found.add(text(alice, "show port"));
      if (transactions) {
        run(alice, "commit");
      }
    }
    return found;
  }

  /** Where it is the level of all transactions, they run at the leader, and are told of. */
  private static void assertSerializable(Connection alice) throws Exception {
    String leader = Integer.toString(cluster.servers.get(0).address.port());
    alice.setAutoCommit(true);
    assertThat(text(alice, "show default_transaction_isolation")).isEqualTo("serializable");
    assertThat(ports(alice, false)).containsExactly(leader);
    assertThat(ports(alice, true)).containsExactly(leader);
    try (Connection other = serializable()) {
      String before = text(other, COUNT);
      run(alice, "begin");
      assertThat(text(alice, COUNT)).isEqualTo(before);
      run(alice, "update duty set on_call = not on_call where name = 'd11'");
      run(other, "update duty set on_call = not on_call where name = 'd12'");
      other.commit();
      assertFails("40001", () -> run(alice, "commit"));
    }
    run(alice, "update duty set on_call = not on_call where name = 'd11'");
  }

  @Test
  void itMayBeTheSessionsLevel() throws Exception {
    for (String set :
        List.of(
            "set default_transaction_isolation = 'serializable'",
            "set session characteristics as transaction isolation level serializable",
            "select set_config('default_transaction_isolation', 'serializable', false)")) {
      try (Connection alice = cluster.alice()) {
        run(alice, set);
        assertSerializable(alice);
        run(alice, "reset all");
        assertThat(text(alice, "show transaction_isolation")).isEqualTo("read committed");
      }
    }
  }

  @Test
  void itMayBeTheRolesLevelOrThatOfOptions() throws Exception {
    String options = "?options=-c%20default_transaction_isolation=serializable";
    String url = "jdbc:postgresql://" + cluster.address() + "/app";
    try (Connection alice =
        DriverManager.getConnection(url + options, "alice", Postgres.PASSWORD)) {
      assertSerializable(alice);
    }
    try {
      cluster.sql("postgres", "alter role alice set default_transaction_isolation = serializable");
      try (Connection alice = cluster.alice()) {
        assertSerializable(alice);
      }
    } finally {
      cluster.sql("postgres", "alter role alice reset default_transaction_isolation");
    }
  }

  /** Another server does not know what the leader's transactions have read. */
  @Test
  void aTransactionAtAnotherServerDoesNotBecomeIt() throws Exception {
    boolean elsewhere = false;
    String leader = Integer.toString(cluster.servers.get(0).address.port());
    for (int i = 0; i < SESSIONS; i++) {
      try (Connection alice = cluster.alice()) {
        run(alice, "begin read only");
        elsewhere |= refusesAt(alice, leader);
        run(alice, "rollback");
        run(alice, "begin isolation level serializable read only");
        assertThat(text(alice, "show port")).isEqualTo(leader);
        run(alice, "commit");
      }
    }
    assertThat(elsewhere).isTrue();
  }

  private static boolean refusesAt(Connection alice, String leader) throws SQLException {
    try {
      run(alice, "set transaction isolation level serializable");
      assertThat(text(alice, "show port")).isEqualTo(leader);
      return false;
    } catch (SQLException e) {
      assertThat(e.getSQLState()).isEqualTo("0A000");
      return true;
    }
  }

  /** As whom it is prepared is not who would commit it: the replicator does. */
  @Test
  void rolesOfTheTransactionAreNoMatter() throws Exception {
    for (Postgres server : cluster.servers) {
      server.sql("app", "create role worker; grant worker to alice, mgtm");
      server.sql("app", "grant all on other to worker");
    }
    try (Connection alice = serializable()) {
      run(alice, "set local role worker");
      run(alice, "insert into other (id, n) values (20, 20)");
      alice.commit();
      assertThat(text(alice, "select current_user")).isEqualTo("alice");
      alice.commit();
    }
    assertThat(cluster.number("select count(*) from other where id = 20")).isOne();
  }

  @Test
  void timeoutsOfTheSessionDoNotHoldForIt() throws Exception {
    cluster.sql("postgres", "alter role alice set statement_timeout = 20");
    try (Connection alice = serializable()) {
      for (int i = 30; i < 35; i++) {
        run(alice, "set local statement_timeout = 10000");
        run(alice, "insert into other (id, n) values (%d, 1)".formatted(i));
        alice.commit();
      }
    } finally {
      cluster.sql("postgres", "alter role alice reset statement_timeout");
    }
    assertThat(cluster.number("select sum(n) from other where id between 30 and 34")).isEqualTo(5);
  }

  /** So they see one snapshot. */
  @Test
  void readsOfOneTextAreOneTransaction() throws Exception {
    String count = "select count(*) from other where id = 60";
    try (Connection alice = serializable();
        Connection locks = cluster.alice();
        Connection writes = cluster.alice()) {
      alice.rollback();
      alice.setAutoCommit(true);
      locks.setAutoCommit(false);
      run(locks, "lock table duty in access exclusive mode");
      String reads = count + "; select count(*) < 0 from duty; " + count;
      CompletableFuture<List<String>> counted =
          CompletableFuture.supplyAsync(() -> results(alice, reads));
      Await.until("it to wait", () -> count("pg_locks where not granted") == 1);
      run(writes, "insert into other (id, n) values (60, 60)");
      locks.rollback();
      assertThat(counted.get(60, TimeUnit.SECONDS)).containsExactly("0", "f", "0");
    }
  }

  private static List<String> results(Connection at, String sql) {
    List<String> found = new ArrayList<>();
    try (Statement statement = at.createStatement()) {
      boolean more = statement.execute(sql);
      while (more) {
        ResultSet rows = statement.getResultSet();
        rows.next();
        found.add(String.valueOf(rows.getString(1)));
        more = statement.getMoreResults();
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What PostgreSQL cannot prepare fails, and nothing of it is there. */
  @Test
  void whatCannotBePreparedIsRefused() throws Exception {
    try (Connection alice = serializable()) {
      run(alice, "create temp table t (n int)");
      alice.commit();
      run(alice, "insert into t values (40)");
      run(alice, "insert into other select n, n from t");
      assertThatThrownBy(alice::commit)
          .hasMessageContaining("temporary objects")
          .hasMessageContaining("the replicator prepares what has written");
      run(alice, "notify something");
      run(alice, "insert into other (id, n) values (40, 40)");
      assertFails("0A000", alice::commit);
      run(alice, "drop table t");
      alice.commit();
    }
    assertThat(cluster.number("select count(*) from other where id = 40")).isZero();
  }

  @Test
  void whomTheReplicatorCannotBecomeIsTold() throws Exception {
    cluster.createRole("stranger");
    cluster.sql("app", "grant all on other to stranger");
    try (Connection stranger = cluster.connect("stranger", "app")) {
      run(stranger, "insert into other (id, n) values (50, 0)");
      stranger.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
      stranger.setAutoCommit(false);
      run(stranger, "update other set n = 50 where id = 50");
      assertThatThrownBy(stranger::commit)
          .hasMessageContaining("nothing is prepared for the role stranger")
          .hasMessageContaining("GRANT stranger TO mgtm");
      assertThat(text(stranger, "select n from other where id = 50")).isEqualTo("0");
      stranger.rollback();
    }
  }
}
