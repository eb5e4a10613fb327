package io.mgtm.query.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What sessions set by a function, prepare by SQL, and hold open, before two real servers. */
class SessionCommandsIT {
  private static final String TABLES =
      """
      create schema elsewhere;
      create table kept (id int primary key, n int not null default 0, who text);
      create table elsewhere.only_here (id int primary key);
      """;

  @TempDir private static Path folder;
  @AutoClose private static Cluster cluster;
  private Connection alice;
  private Statement statement;

  @BeforeAll
  static void start() throws Exception {
    Tools.needPostgres();
    cluster = new Cluster(folder, 2, "dtp", TABLES);
    cluster.startReplicator();
  }

  @BeforeEach
  void connect() throws SQLException {
    alice = cluster.alice();
    statement = alice.createStatement();
    statement.execute("delete from kept where id > 0");
  }

  @AfterEach
  void everyServerHasTheSame() throws Exception {
    alice.close();
    cluster.assertAlike();
    cluster.assertSchemasAlike();
  }

  private String text(String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      assertThat(row.next()).isTrue();
      return row.getString(1);
    }
  }

  // ---- set_config ------------------------------------------------------------------------------

  /** Whichever server is asked; and what others are given by its text is meant as it was here. */
  @Test
  void settingOfAFunctionHoldsAtAllServers() throws SQLException {
    assertThat(text("select pg_catalog.set_config('search_path', 'elsewhere', false)"))
        .isEqualTo("elsewhere");
    for (int i = 0; i < 4; i++) {
      assertThat(text("select count(*) from only_here")).isEqualTo("0");
    }
    statement.execute("create table made_there (id int)");
    statement.execute("drop table elsewhere.made_there");
    assertThat(text("select set_config('search_path', null, false)")).contains("public");
  }

  @Test
  void argumentsMayBeParameters() throws SQLException {
    try (PreparedStatement set =
        alice.prepareStatement("select set_config(?, ?, ?), current_setting('work_mem')")) {
      for (int round = 0; round < 7; round++) {
        set.setString(1, "app.who");
        set.setString(2, "it's \\ " + round);
        set.setBoolean(3, false);
        set.execute();
        assertThat(text("select current_setting('app.who')")).isEqualTo("it's \\ " + round);
      }
    }
  }

  @Test
  void settingOfATransactionEndsWithIt() throws SQLException {
    alice.setAutoCommit(false);
    statement.execute(
        "select set_config('app.who', 'ann', true), set_config('work_mem', '1MB', true)");
    statement.execute("insert into kept (id, who) select 1, current_setting('app.who')");
    alice.commit();
    assertThat(text("select coalesce(current_setting('app.who', true), '')")).isEmpty();
    alice.rollback();
    statement.execute("select set_config('work_mem', '2MB', false)");
    alice.rollback();
    assertThat(text("show work_mem")).isEqualTo("4MB");
    alice.rollback();
    assertThat(cluster.number("select count(*) from kept where who = 'ann'")).isOne();
  }

  /** What is sent in one go is one transaction. */
  @Test
  void settingOfAQueryWithSeveralStatementsHoldsInAllOfIt() throws Exception {
    Tools.Result psql =
        cluster.program(
            "psql",
            "-XAtc",
            "select set_config('app.who', 'bob', true); select current_setting('app.who')",
            "-c",
            "select set_config('app.who', 'eve', true);"
                + " insert into kept (id, who) select 2, current_setting('app.who')",
            "-c",
            "select coalesce(current_setting('app.who', true), '-')");
    assertThat(psql.succeeded().output()).isEqualTo("bob\nbob\neve\nINSERT 0 1\n\n");
    assertThat(cluster.number("select count(*) from kept where who = 'eve'")).isOne();
  }

  @Test
  void settingThatServersMayNotKnowIsSetWhereTheyDo() throws SQLException {
    statement.execute(
        "select set_config(name, 'off', false) from pg_settings where name = 'enable_sort'");
    assertThat(text("show enable_sort")).isEqualTo("off");
    try (ResultSet none =
        statement.executeQuery(
            "select set_config(name, 'off', false) from pg_settings where name = 'unheard_of'")) {
      assertThat(none.next()).isFalse();
    }
    assertThatThrownBy(() -> statement.execute("select set_config('unheard_of', '1', false)"))
        .hasMessageContaining("unrecognized configuration parameter");
    assertThat(text("show enable_sort")).isEqualTo("off");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          select set_config('xmloption', 'document', false)
          select set_config('Session_Replication_Role', 'replica', false)
          select set_config('transaction_isolation', 'repeatable read', true)
          select set_config('search_path', version(), false)
          select set_config('search_path', 'x', false) from kept
          select set_config('search_path', $99999999999, false)
          """)
  void whatServersRelyOnIsNotSet(String sql) throws SQLException {
    assertThatThrownBy(() -> statement.execute(sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"))
        .hasMessageContaining("Hint");
    try (PreparedStatement set = alice.prepareStatement("select set_config(?, ?, false)")) {
      set.setString(1, "array_nulls");
      set.setString(2, "off");
      assertThatThrownBy(set::execute).hasMessageContaining("relies on array_nulls");
    }
    assertThat(text("show array_nulls")).isEqualTo("on");
  }

  /** By the parser it is another view than that of the catalogue. */
  @Test
  void settingsThatAreListedElsewhereAreNotTakenForThose() throws SQLException {
    statement.execute("create table elsewhere.pg_settings (name text)");
    assertThatThrownBy(
            () ->
                statement.execute(
                    "select set_config(name, 'off', false) from pg_settings where name = 'jit'"))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("0A000"));
    statement.execute("drop table elsewhere.pg_settings");
  }

  @Test
  void parameterThatIsMissingIsNotSet() throws Exception {
    Tools.Result psql =
        cluster.program(
            "psql", "-XAtc", "select set_config('app.who', $1, false)", "-c", "select 1");
    assertThat(psql.output()).contains("what is set here is not known").endsWith("1\n");
  }

  @Test
  void nothingIsSetOrPreparedInATransactionThatHasFailed() throws Exception {
    alice.setAutoCommit(false);
    assertThatThrownBy(() -> statement.execute("select 1 / 0")).isInstanceOf(SQLException.class);
    for (String sql :
        new String[] {
          "prepare late as select 1",
          "deallocate late",
          "select set_config('app.who', 'late', false)",
          "drop trigger if exists mgtm_capture on kept"
        }) {
      assertThatThrownBy(() -> statement.execute(sql))
          .hasMessageContaining("current transaction is aborted");
    }
    alice.rollback();
    assertThatThrownBy(() -> statement.execute("execute late"))
        .hasMessageContaining("does not exist");
    alice.rollback();
    alice.setAutoCommit(true);
  }

  // ---- PREPARE and EXECUTE ---------------------------------------------------------------------

  @Test
  void preparedBySqlIsExecutedByTheClassThatItHas() throws SQLException {
    statement.execute("prepare adds (int, text) as insert into kept (id, who) values ($1, $2)");
    statement.execute("prepare moves as update kept set n = n + $2 where id = $1");
    statement.execute("prepare all_of as update kept set n = n + random()::int where n > $1");
    statement.execute("prepare reads as select who from kept where id = $1");
    for (int id = 1; id <= 8; id++) {
      assertThat(statement.executeUpdate("execute adds(%d, 'it''s %d')".formatted(id, id))).isOne();
      assertThat(statement.executeUpdate("execute moves(%d, -%d)".formatted(id, id))).isOne();
      assertThat(text("execute reads('%d')".formatted(id))).isEqualTo("it's " + id);
    }
    assertThat(statement.executeUpdate("execute all_of(-5)")).isEqualTo(4);
    alice.setAutoCommit(false);
    statement.execute("execute adds(9, null)");
    alice.rollback();
    alice.setAutoCommit(true);
    assertThat(cluster.number("select count(*) from kept")).isEqualTo(8);
    assertThat(cluster.number("select min(n) from kept")).isEqualTo(-8);
  }

  @Test
  void preparedBySqlOutlivesAChangeOfTheSchema() throws SQLException {
    statement.execute("prepare whole as select * from kept where id = $1");
    statement.execute("insert into kept (id, n) values (1, 1)");
    assertThat(text("execute whole(1)")).isEqualTo("1");
    statement.execute("alter table kept add column more int default 3");
    try (ResultSet row = statement.executeQuery("execute whole(1)")) {
      assertThat(row.next()).isTrue();
      assertThat(row.getInt("more")).isEqualTo(3);
    }
    statement.execute("alter table kept drop column more");
  }

  @Test
  void preparedBySqlIsForgotten() throws Exception {
    statement.execute("prepare p as select 1");
    assertThatThrownBy(() -> statement.execute("prepare p as select 2"))
        .hasMessageContaining("already exists");
    statement.execute("deallocate p");
    statement.execute("prepare p as select 2");
    assertThat(text("execute p")).isEqualTo("2");
    statement.execute("deallocate all");
    assertThatThrownBy(() -> statement.execute("execute p")).hasMessageContaining("does not exist");
    Tools.Result psql =
        cluster.program(
            "psql",
            "-XAtc",
            "prepare p as select 1; execute p; deallocate p; prepare p (text) as select $1; execute p(2)");
    assertThat(psql.succeeded().output()).isEqualTo("PREPARE\n1\nDEALLOCATE\nPREPARE\n2\n");
  }

  @Test
  void statementThatExecutesItExecutesWhatIsThere() throws SQLException {
    statement.execute("prepare p as select 1");
    try (PreparedStatement often = alice.prepareStatement("execute p")) {
      for (int i = 0; i < 8; i++) {
        try (ResultSet row = often.executeQuery()) {
          assertThat(row.next()).isTrue();
          assertThat(row.getInt(1)).isOne();
        }
      }
      statement.execute("deallocate p");
      statement.execute("prepare p as select 2");
      // The driver prepares again what the server says it does not know.
      try (ResultSet row = often.executeQuery()) {
        assertThat(row.next()).isTrue();
        assertThat(row.getInt(1)).isEqualTo(2);
      }
    }
    assertThat(text("execute p")).isEqualTo("2");
  }

  // ---- DECLARE WITH HOLD -----------------------------------------------------------------------

  @Test
  void cursorThatIsHeldOutlivesItsTransaction() throws SQLException {
    statement.execute("insert into kept (id) select n from generate_series(1, 5) n");
    alice.setAutoCommit(false);
    statement.execute("declare held cursor with hold for select id from kept order by id");
    assertThat(text("fetch held")).isEqualTo("1");
    alice.commit();
    statement.execute("delete from kept where id > 0");
    assertThat(text("fetch held")).isEqualTo("2");
    statement.execute("insert into kept (id) values (9)");
    alice.commit();
    assertThat(text("fetch held")).isEqualTo("3");
    alice.rollback();
    alice.setAutoCommit(true);
    assertThat(text("fetch held")).isEqualTo("4");
    statement.execute("close held");
    assertThatThrownBy(() -> statement.execute("fetch held"))
        .hasMessageContaining("does not exist");
    statement.execute("declare alone cursor with hold for select 7");
    assertThat(text("fetch alone")).isEqualTo("7");
    statement.execute("close all");
    assertThat(cluster.number("select count(*) from kept")).isOne();
  }

  @Test
  void cursorOfATransactionThatIsUndoneIsNotHeld() throws SQLException {
    alice.setAutoCommit(false);
    statement.execute("declare held cursor with hold for select 1");
    alice.rollback();
    assertThatThrownBy(() -> statement.execute("fetch held")).isInstanceOf(SQLException.class);
    alice.rollback();
    statement.execute("savepoint s");
    statement.execute("declare held cursor with hold for select 1");
    statement.execute("rollback to s");
    alice.commit();
    assertThatThrownBy(() -> statement.execute("fetch held")).isInstanceOf(SQLException.class);
    alice.rollback();
    assertThatThrownBy(
            () -> statement.execute("declare held cursor with hold for select nextval('x')"))
        .hasMessageContaining("a cursor of a query that may write");
    alice.rollback();
    alice.setAutoCommit(true);
  }

  // ---- what is refused -------------------------------------------------------------------------

  @ParameterizedTest
  @CsvSource({
    "execute unheard, 26000",
    "execute one, 42601",
    "'execute one(1, 2)', 42601",
    "execute one(random()), 42601",
    "execute one('x'), 22P02",
    "prepare other as drop table kept, 42601",
    "explain execute unheard(1), 26000",
    "execute one(1 + 1), 42601",
  })
  void whatCannotBeExecutedIsRefused(String sql, String state) throws SQLException {
    statement.execute("prepare one (int) as select $1");
    assertThatThrownBy(() -> statement.execute(sql))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo(state));
    assertThat(text("execute one(7)")).isEqualTo("7");
    assertThat(text("explain (costs off) execute one(7)")).isEqualTo("Result");
  }
}
