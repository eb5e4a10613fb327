package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Names that mean a permanent table or a temporary one, as statements at random make and undo it:
 * two servers behind the replicator have what a server by itself has that is told the same.
 */
class TemporaryNamesIT {
  private static final List<String> NAMES = List.of("item", "log");

  /** {@code T} stands for a name, {@code P} for a permanent table, {@code N} for a new number. */
  private static final List<String> STATEMENTS =
      List.of(
          "create temp table T (id int primary key, n int)",
          "create temp table T (id int primary key, n int) on commit drop",
          "create temp table T (id int primary key, n int) on commit delete rows",
          "create temp table T as select id, n from public.T",
          "drop table pg_temp.T",
          "drop table pg_temp.T",
          "drop table pg_temp.T",
          "alter table pg_temp.T rename to other",
          "alter table pg_temp.other rename to T",
          "truncate pg_temp.T",
          "insert into T (id, n) values (N, 1)",
          "insert into T (id, n) values (N, 1)",
          "insert into T values (N, 2), (N + 1, 3)",
          "insert into P (id, n) values (N, 4)",
          "insert into P (id, n) select id + N, n from T order by id limit 3",
          "insert into T (id, n) select id + N, n from P order by id limit 3",
          "update T set n = n + 1 where id = N - 6",
          "update T set n = n * 2 where id > N - 20",
          "delete from T where id = N - 4",
          "delete from P using T where P.id = T.id and T.n > 5",
          "with d as (delete from T where id < N - 30 returning id, n)"
              + " insert into P (id, n) select id + N, n from d",
          "select count(*), sum(n) from T",
          "select count(*), sum(n) from T",
          "select count(*), sum(n) from P",
          "begin",
          "begin",
          "begin isolation level repeatable read",
          "commit",
          "commit",
          "rollback",
          "savepoint a",
          "savepoint a",
          "savepoint b",
          "rollback to a",
          "rollback to b",
          "release a",
          "select 1 / (N - N)",
          "set search_path = public, pg_temp",
          "set local search_path = public, pg_temp",
          "reset search_path",
          "discard temp",
          "begin; insert into T (id, n) values (N, 7); savepoint a");

  /** What ends a failed transaction, or its failure. */
  private static final List<String> ENDS =
      List.of("rollback to a", "rollback to a", "rollback to b", "rollback", "commit");

  private static final String TABLES =
      "create table item (id int primary key, n int); create table log (id int primary key, n int)";

  private static final int STATEMENTS_MAX = Integer.getInteger("mgtm.names", 3_000);

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letRowsBeCaptured();
    cluster.startReplicator();
  }

  @Test
  void aNameMeansTheSameAsAtAServerByItself() throws Exception {
    long seed = Long.getLong("seed", System.nanoTime());
    Postgres bare = new Postgres(folder.resolve("bare"), Tools.SERVERS, List.of());
    try (Connection alone = Cluster.alice(bare.address);
        Connection alice = cluster.alice();
        Statement expected = alone.createStatement();
        Statement statement = alice.createStatement()) {
      expected.execute(TABLES);
      Random random = new Random(seed);
      List<String> told = new ArrayList<>();
      boolean failed = false;
      for (int i = 0; i < STATEMENTS_MAX; i++) {
        boolean ends = failed && random.nextInt(4) > 0;
        String sql = ends ? ENDS.get(random.nextInt(ENDS.size())) : statement(random, i);
        String got = run(statement, sql);
        // What is refused is not done at the other either, but for what it does to a transaction.
        String wanted = got.equals("0A000") ? got : run(expected, sql);
        failed = got.matches("[0-9A-Z]{5}");
        told.add(sql + " -- " + got);
        if (got.equals("0A000")) {
          run(expected, (sql.startsWith("begin;") ? "begin; " : "") + "select 1 / 0");
        }
        assertThat(got).as("seed %d\n%s", seed, String.join("\n", last(told))).isEqualTo(wanted);
      }
      run(statement, "commit");
      run(expected, "commit");
      for (String name : NAMES) {
        String sum = "select coalesce(sum(id::bigint * 31 + n), 0) from public." + name;
        assertThat(cluster.number(sum)).as("seed %d", seed).isEqualTo(bare.number(sum));
      }
    } finally {
      bare.stop();
    }
    cluster.assertAlike();
  }

  private static List<String> last(List<String> told) {
    return told.subList(Math.max(0, told.size() - 60), told.size());
  }

  private static String statement(Random random, int number) {
    String name = NAMES.get(random.nextInt(NAMES.size()));
    String permanent = NAMES.get(random.nextInt(NAMES.size()));
    return STATEMENTS
        .get(random.nextInt(STATEMENTS.size()))
        .replace("P.id", permanent + ".id")
        .replace("T.id", "named.id")
        .replace("T.n", "named.n")
        .replace("using T", "using (select id, n from T) named")
        .replaceAll("\\bT\\b", name)
        .replaceAll("\\bP\\b", "public." + permanent)
        .replaceAll("\\bN\\b", Integer.toString(10 * number + 10));
  }

  /** The first row, the count of rows written, or the error's number. */
  private static String run(Statement statement, String sql) {
    try {
      if (!statement.execute(sql)) {
        return "written " + statement.getUpdateCount();
      }
      try (ResultSet rows = statement.getResultSet()) {
        rows.next();
        return rows.getString(1)
            + (rows.getMetaData().getColumnCount() > 1 ? ", " + rows.getString(2) : "");
      }
    } catch (SQLException e) {
      return e.getSQLState();
    }
  }
}
