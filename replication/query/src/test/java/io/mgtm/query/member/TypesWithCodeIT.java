package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A domain whose check writes, wherever a value comes to be one of it. */
@Tag("long")
class TypesWithCodeIT {
  private static final String TABLES =
      """
      create table log (id float8 primary key);
      create function chk(int) returns bool language sql as
        'insert into log values (random()) returning true';
      create domain checked as int check (chk(value));
      create type pair as (a int, b checked);
      create table domains (id int primary key, d checked);
      create table plain (id int primary key, n int, s text);
      create table held (id int primary key, n int check ((n::checked) is not null));
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.letAliceWriteWithoutTriggers();
    cluster.startReplicator();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "insert into domains values (1, 1)",
        "select ('{1}'::_checked)::text",
        "select (row(1, 2)::pair)::text",
        "select ('(1,2)'::domains)::text",
        "select * from json_populate_record(null::domains, '{\"id\": 1, \"d\": 1}')",
        "insert into plain (id, s) values (1, ('(1,2)'::pair)::text)",
        "insert into plain (id, s) select 1, ('{1}'::_checked)::text",
        "insert into held values (1, 1)",
      })
  void whatTheCheckWritesIsSeen(String sql) throws Exception {
    try (Connection alice = cluster.alice();
        Statement statement = alice.createStatement()) {
      assertThatThrownBy(() -> statement.execute(sql))
          .isInstanceOfSatisfying(
              SQLException.class, e -> assertThat(e.getSQLState()).isIn("0A000", "25006"));
    }
    assertThat(cluster.number("select count(*) from log")).isZero();
    cluster.assertAlike();
  }
}
